import { expect, test } from 'vitest'
import { sumLinux, sumMac } from './metrics.service.ts'
import { openMetrics } from './open-metrics.ts'

const load = {
  cpu: { usagePercent: 12.5, cores: 4 },
  memory: { usedMb: 1000, totalMb: 4000, usagePercent: 25 },
  disk: { usedGb: 1.5, totalGb: 10, usagePercent: 15 },
  network: { rxBytesPerSec: 10, txBytesPerSec: 20 },
}

test('the text is OpenMetrics: typed families, counters ending in _total, nothing twice, and its end mark', () => {
  const counter = { name: 'requests', help: 'Of "all", a \\ and\na new line.', value: 3 }
  const text = openMetrics(load, [counter], [{ name: 'viewers', help: 'Who watches.', value: 0 }])
  expect(text.endsWith('\n# EOF\n')).toBe(true)
  const lines = text.trimEnd().split('\n').slice(0, -1)
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  for (const line of lines) {
    const type = /^# TYPE ([a-z_]+) (gauge|counter)$/.exec(line)
    const sample = /^([a-z_]+) (-?[0-9.]+(?:e[+-]?\d+)?)$/.exec(line)
    if (type !== null) {
      expect(types.has(type[1] ?? '')).toBe(false)
      types.set(type[1] ?? '', type[2] ?? '')
    } else if (sample !== null) {
      const name = sample[1] ?? ''
      const family = types.get(name) === 'gauge' ? name : name.replace(/_total$/, '')
      expect(types.get(family), name).toBe(name === family ? 'gauge' : 'counter')
      expect(samples.has(name)).toBe(false)
      samples.set(name, Number(sample[2]))
    } else expect(line).toMatch(/^# HELP [a-z_]+ ([^\\"\n]|\\[\\"n])+$/)
  }
  expect(samples.size).toBe(types.size)
  expect(samples.get('pilothouse_requests_total')).toBe(3)
  expect(samples.get('pilothouse_cpu_usage_ratio')).toBe(0.125)
  expect(samples.get('pilothouse_memory_used_bytes')).toBe(1000 * 2 ** 20)
})

test('bytes of every interface but loopback are counted, on Linux and on macOS', () => {
  const linux = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0
  eth0: 100 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0
wlan0:7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0
`
  expect(sumLinux(linux)).toEqual({ rx: 107, tx: 28 })
  const mac = `Name  Mtu   Network       Address            Ipkts Ierrs     Ibytes    Opkts Oerrs     Obytes  Coll
lo0   16384 <Link#1>                           9     0        999        9     0        999     0
en0   1500  <Link#4>    aa:bb:cc:dd:ee:ff     10     0       5000       11     0       600     0
en0   1500  192.168.1     192.168.1.2         10     -       5000       11     -       600     -
`
  expect(sumMac(mac)).toEqual({ rx: 5000, tx: 600 })
})
