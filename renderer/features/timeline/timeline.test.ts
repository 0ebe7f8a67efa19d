import { describe, expect, test } from 'vitest'
import type { TimelineEntry } from '../../../shared/contract/timeline.ts'
import { entry } from '../../../shared/domain/timeline/book.ts'
import { controlOf, filtered, noFilter, place, within } from './lanes.ts'
import { layoutLane, markAt } from './layout.ts'
import { clockText, fitAll, pan, reveal, spanOf, spanText, ticks, timeAt, upToNow, xOf, zoom } from './scale.ts'

const base = Date.UTC(2026, 0, 1, 3)
const at = (seconds: number) => new Date(base + seconds * 1000).toISOString()
let count = 0
const made = (
  seconds: number,
  more: Partial<Omit<TimelineEntry, 'kind'>> & { kind?: 'engine' | 'page' } = {},
): TimelineEntry =>
  entry({ key: `k${++count}`, kind: 'page', what: 'console-error', at: at(seconds), title: 'It broke', ...more })
const hour = { from: base, to: base + 3_600_000 }

describe('the scale', () => {
  test('a place and its time are each other’s inverse', () => {
    expect(xOf(hour, 900, timeAt(hour, 900, 123))).toBeCloseTo(123)
    expect(timeAt(hour, 900, 450)).toBe(base + 1_800_000)
  })
  test('zooming keeps what is under the cursor there, in and out again', () => {
    const around = base + 600_000
    const closer = zoom(hour, 0.5, around)
    expect(spanOf(closer)).toBe(1_800_000)
    expect(xOf(closer, 900, around)).toBeCloseTo(xOf(hour, 900, around))
    const back = zoom(closer, 2, around)
    expect(back.from).toBeCloseTo(hour.from)
    expect(back.to).toBeCloseTo(hour.to)
  })
  test('there is a closest and a farthest view', () => {
    let view = hour
    for (let i = 0; i < 100; i++) view = zoom(view, 0.5, base)
    expect(spanOf(view)).toBe(100)
    for (let i = 0; i < 100; i++) view = zoom(view, 2, base)
    expect(spanOf(view)).toBe(400 * 86_400_000)
  })
  test('fit has everything in it, and reveal moves only as far as it must', () => {
    const all = fitAll(base, base + 10_000_000)
    expect(all.from).toBeLessThan(base)
    expect(all.to).toBeGreaterThan(base + 10_000_000)
    expect(spanOf(fitAll(base, base))).toBeGreaterThanOrEqual(60_000)
    expect(reveal(hour, base + 1_000_000)).toBe(hour)
    const moved = reveal(hour, base + 9_000_000)
    expect(spanOf(moved)).toBe(spanOf(hour))
    expect(xOf(moved, 100, base + 9_000_000)).toBeCloseTo(50)
    expect(pan(hour, 5)).toEqual({ from: base + 5, to: base + 3_600_005 })
    expect(upToNow(base, 1000).to).toBeGreaterThan(base)
  })
  test('ticks are round, in order, and never too close', () => {
    for (const span of [200, 7000, 900_000, 3_600_000, 86_400_000, 30 * 86_400_000]) {
      const view = { from: base, to: base + span }
      const found = ticks(view, 900)
      expect(found.length).toBeGreaterThan(0)
      expect(found.length).toBeLessThanOrEqual(11)
      expect(new Set(found.map(({ time }) => time)).size).toBe(found.length)
    }
    const [first] = ticks(hour, 900)
    expect(new Date(first?.time ?? 0).getSeconds()).toBe(0)
    expect([spanText(900_000), spanText(5_400_000), spanText(250)]).toEqual(['15 min', '1.5 h', '250 ms'])
  })
})

describe('what is drawn', () => {
  test('twenty thousand entries are as many marks as there is room for, and none is lost from the counts', () => {
    const many = place(Array.from({ length: 20_000 }, (_unused, i) => made((i * 3600) / 20_000)))
    const marks = layoutLane(many, hour, 900, hour.to)
    expect(marks.length).toBeLessThanOrEqual(100)
    const told = marks.reduce((sum, mark) => sum + (mark.type === 'cluster' ? mark.count : 1), 0)
    expect(told).toBe(20_000)
  })
  test('what stands apart is drawn apart; what is close is one mark with the worst colour', () => {
    const placed = place([
      made(60, { tone: 'up' }),
      made(61, { tone: 'broken' }),
      made(62, { tone: 'off' }),
      made(1800, { tone: 'engine' }),
    ])
    const [cluster, point] = layoutLane(placed, hour, 900, hour.to)
    expect(cluster).toMatchObject({ type: 'cluster', count: 3, tone: 'broken' })
    expect(point).toMatchObject({ type: 'point', tone: 'engine', x: 450 })
    const near = { from: base + 59_000, to: base + 63_000 }
    expect(layoutLane(placed, near, 900, hour.to).map(({ type }) => type)).toEqual(['point', 'point', 'point'])
  })
  test('spans reach in from before and out beyond; what runs ends now', () => {
    const placed = place([
      made(-600, { until: at(60), what: 'lease' }),
      made(-500, { until: at(-400), what: 'lease' }),
      made(1800, { running: true, what: 'browser' }),
    ])
    const marks = layoutLane(placed, hour, 900, base + 2_700_000)
    expect(marks).toMatchObject([
      { type: 'span', x1: -4, x2: 15 },
      { type: 'ground', x1: 450, x2: 675 },
    ])
  })
  test('a point on a span is what is meant by a click on it', () => {
    const placed = place([made(600, { until: at(3000), what: 'lease' }), made(1800, {})])
    const marks = layoutLane(placed, hour, 900, hour.to)
    expect(markAt(marks, 451)?.type).toBe('point')
    expect(markAt(marks, 300)?.type).toBe('span')
    expect(markAt(marks, 850)).toBeNull()
  })
})

test('entries are found by kind, by words in any order, and by what went wrong', () => {
  const placed = place([
    made(1, { tone: 'broken', title: 'TypeError in cart', detail: 'https://shop/app.js' }),
    made(2, { kind: 'engine', title: 'Switched', who: 'Ada' }),
    made(3, { kind: 'engine', tone: 'expired', title: 'Ran out' }),
  ])
  const titles = (filter: Partial<typeof noFilter>) =>
    filtered(placed, { ...noFilter, ...filter }).map(({ entry: e }) => e.title)
  expect(titles({})).toHaveLength(3)
  expect(titles({ kinds: ['engine'] })).toEqual(['Switched', 'Ran out'])
  expect(titles({ errorsOnly: true })).toEqual(['TypeError in cart', 'Ran out'])
  expect(titles({ text: 'app.js cart' })).toEqual(['TypeError in cart'])
  expect(titles({ text: 'ada' })).toEqual(['Switched'])
  expect(within(placed, base + 1500, base + 2500)).toHaveLength(1)
})

test('control is a person’s before an engine’s before nobody’s, and a gap where the browser was off', () => {
  const placed = place([
    made(0, { what: 'browser', until: at(100) }),
    made(10, { what: 'engine', until: at(90) }),
    made(30, { what: 'lease', until: at(50) }),
    made(200, { what: 'browser', running: true }),
  ])
  const told = controlOf(placed, base + 300_000).map(({ from, to, tone }) => [
    (from - base) / 1000,
    (to - base) / 1000,
    tone,
  ])
  expect(told).toEqual([
    [0, 10, 'up'],
    [10, 30, 'engine'],
    [30, 50, 'person'],
    [50, 90, 'engine'],
    [90, 100, 'up'],
    [200, 300, 'up'],
  ])
})

test('what is said to have happened at no time, or in no year of ours, is not drawn', () => {
  const times = ['<img src=x>', '', '+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00Z', at(5)]
  const placed = place(
    times.map((time, index) => ({ ...made(0), key: String(index), at: time, until: times[2] ?? null })),
  )
  expect(placed.map(({ entry: { key } }) => key)).toEqual(['4'])
  expect(new Date(placed[0]?.end ?? Number.NaN).getUTCFullYear()).toBe(3000)
})

test('a clock that differs is told of where one moment could be taken for another', () => {
  expect([0, 5000, -29_000].map(clockText)).toEqual([null, null, null])
  expect(clockText(3 * 3_600_000)).toBe('3 h ahead of')
  expect(clockText(-7 * 60_000)).toBe('7 min behind')
})
