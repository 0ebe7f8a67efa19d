import { expect, test } from 'vitest'
import { openMetrics } from './open-metrics.ts'

const load = {
  cpu: { usagePercent: 12.5, cores: 4 },
  memory: { usedMb: 1000, totalMb: 4000, usagePercent: 25 },
  disk: { usedGb: 1.5, totalGb: 10, usagePercent: 15 },
  network: { rxBytesPerSec: 10, txBytesPerSec: 20 },
}

test.each([
  ['1.0.0', ''],
  ['0.0.4', '_total'],
] as const)(
  'the text is of version %s: typed families, counters ending in _total, nothing twice, and its end mark',
  (version, ending) => {
    const counter = { name: 'requests', help: 'Of "all", a \\ and\na new line.', value: 3 }
    const text = openMetrics(load, [counter], [{ name: 'viewers', help: 'Who watches.', value: 0 }], version)
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
        const isCounter = name.endsWith('_total')
        const family = isCounter ? name.replace(/_total$/, ending) : name
        expect(types.get(family), name).toBe(isCounter ? 'counter' : 'gauge')
        expect(samples.has(name)).toBe(false)
        samples.set(name, Number(sample[2]))
      } else expect(line).toMatch(/^# HELP [a-z_]+ ([^\\"\n]|\\[\\"n])+$/)
    }
    expect(samples.size).toBe(types.size)
    expect(samples.get('pilothouse_requests_total')).toBe(3)
    expect(samples.get('pilothouse_cpu_usage_ratio')).toBe(0.125)
    expect(samples.get('pilothouse_memory_used_bytes')).toBe(1000 * 2 ** 20)
  },
)
