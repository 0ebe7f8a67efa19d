import { expect, test } from 'vitest'
import { linesOf, withNow } from './series.ts'

const point = (at: number, cpu: number) => ({ at, cpu, memory: 1, disk: 2, rx: 3, tx: 4 })

test('where nothing was heard for a while there is a gap, and nowhere else', () => {
  const lines = linesOf({
    everyMs: 30_000,
    points: [point(0, 1), point(30_000, 2), point(90_000, 3), point(300_000, 4)],
  })
  expect(lines.times).toEqual([0, 30, 90, 120, 300])
  expect(lines.cpu).toEqual([1, 2, 3, null, 4])
  expect(lines.tx).toEqual([4, 4, 4, null, 4])
})

test('the reading of this moment stands at the end, once', () => {
  const now = {
    cpu: { usagePercent: 50, cores: 2 },
    memory: { usedMb: 1, totalMb: 2, usagePercent: 60 },
    disk: { usedGb: 1, totalGb: 2, usagePercent: 70 },
    network: { rxBytesPerSec: 5, txBytesPerSec: 6 },
  }
  const history = { everyMs: 30_000, points: [point(1000, 1)] }
  expect(withNow(history, now, 2000).points.at(-1)).toEqual({ at: 2000, cpu: 50, memory: 60, disk: 70, rx: 5, tx: 6 })
  expect(withNow(history, now, 1000)).toBe(history)
  expect(withNow(history, null, 2000)).toBe(history)
})
