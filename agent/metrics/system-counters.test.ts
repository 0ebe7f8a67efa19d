import { expect, test } from 'vitest'
import { parseProcStat, sumLinux, sumMac } from './system-counters.ts'

test('a core that waits for a disk is not busy, one that the host took away is', () => {
  // user nice system idle iowait irq softirq steal guest guest_nice; guests are in user and nice already.
  const text = 'cpu  100 20 30 400 300 5 15 30 40 10\ncpu0 1 2 3 4\n'
  expect(parseProcStat(text)).toEqual({ busy: 200, total: 900 })
  expect(parseProcStat('')).toBeUndefined()
  expect(parseProcStat('cpu  1 2\n')).toBeUndefined()
})

test('bytes of every interface but loopback are counted, on Linux and on macOS', () => {
  const linux = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0
  eth0: 100 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0
wlan0:7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0
`
  expect(sumLinux(linux)).toEqual({ rx: 107, tx: 28 })
  expect(sumLinux(linux, (name) => name !== 'wlan0')).toEqual({ rx: 100, tx: 20 })
  const mac = `Name  Mtu   Network       Address            Ipkts Ierrs     Ibytes    Opkts Oerrs     Obytes  Coll
lo0   16384 <Link#1>                           9     0        999        9     0        999     0
en0   1500  <Link#4>    aa:bb:cc:dd:ee:ff     10     0       5000       11     0       600     0
en0   1500  192.168.1     192.168.1.2         10     -       5000       11     -       600     -
`
  expect(sumMac(mac)).toEqual({ rx: 5000, tx: 600 })
})
