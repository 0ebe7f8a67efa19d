import { expect, test } from 'vitest'
import type { MetricPoint } from '../store/metrics.ts'
import { hasHole, LoadGaps, type LoadGapsDeps } from './load-gaps.ts'

const hour = 3_600_000
const start = Date.parse('2026-06-01T00:00:00.000Z')
const point = (at: number): MetricPoint => ({ at, cpu: 1, memory: 2, disk: 3, rx: 4, tx: 5 })
const every30s = (from: number, to: number) =>
  Array.from({ length: Math.ceil((to - from) / 30_000) }, (_, n) => point(from + n * 30_000))

function rig(kept: MetricPoint[]) {
  const asked: unknown[] = []
  const filled: MetricPoint[] = []
  const rig = { now: start + hour, up: true, fails: false, asked, filled }
  const gaps = new LoadGaps({
    clock: { now: () => rig.now },
    fleet: {
      view: () => ({ state: 'running', links: { agent: { state: rig.up ? 'up' : 'down' } } }),
      call: async (_id: string, name: string, params: unknown) => {
        asked.push([name, params])
        if (rig.fails) throw new Error('too old')
        return { everyMs: 30_000, points: [point(start)], containers: [] }
      },
    } as unknown as LoadGapsDeps['fleet'],
    store: {
      metrics: {
        history: () => ({ everyMs: 30_000, points: kept }),
        fill: (_id: string, points: MetricPoint[]) => filled.push(...points),
      },
    } as unknown as LoadGapsDeps['store'],
  })
  return Object.assign(rig, { gaps })
}

test('a hole is what is missing at the start, in the middle or at the end', () => {
  const whole = every30s(start, start + hour)
  expect(hasHole(whole, start, start + hour)).toBe(false)
  expect(hasHole(whole.slice(5), start, start + hour)).toBe(true)
  expect(hasHole(whole.slice(0, -5), start, start + hour)).toBe(true)
  expect(hasHole([...whole.slice(0, 50), ...whole.slice(55)], start, start + hour)).toBe(true)
  expect(hasHole([], start, start + hour)).toBe(true)
})

test('the machine is asked for what is missing, once a minute at most, and further back at once', async () => {
  const { gaps, asked, filled } = rig([])
  await gaps.fill('m', start)
  const params = { from: '2026-06-01T00:00:00.000Z', everyMs: 30_000, containers: false }
  expect(asked).toEqual([['machine.metricsHistory', params]])
  expect(filled).toHaveLength(1)
  await gaps.fill('m', start + 1000)
  expect(asked).toHaveLength(1)
  await gaps.fill('m', start - 5 * hour)
  expect(asked).toHaveLength(2)
  // No machine knows more than a day.
  await gaps.fill('m', start - 100 * hour)
  expect(asked[2]).toEqual(['machine.metricsHistory', { ...params, from: '2026-05-31T01:00:00.000Z' }])
})

test('nothing is asked where nothing is missing or the machine cannot be asked, and a refusal is no failure', async () => {
  const whole = rig(every30s(start, start + hour))
  await whole.gaps.fill('m', start)
  const away = rig([])
  away.up = false
  await away.gaps.fill('m', start)
  expect([...whole.asked, ...away.asked]).toEqual([])
  const old = rig([])
  old.fails = true
  await old.gaps.fill('m', start)
  expect([old.asked.length, old.filled.length]).toEqual([1, 0])
})
