import { expect, test } from 'vitest'
import { aimText } from './aim.ts'
import { momentOf, sinceFor, sinceOptions } from './choices.store.ts'

const minute = 60_000
const time = new Date(2026, 0, 31, 14, 3, 20).getTime()

test('a moment of any age has a beginning before it', () => {
  const begins = [1, 30, 200, 1000, 1439, 3000, 1e6].map((minutes) => sinceFor(time, time + minutes * minute))
  expect(begins.slice(0, 4)).toEqual(['ago:15', 'ago:60', 'ago:360', 'ago:1440'])
  for (const since of begins.slice(4)) {
    expect(momentOf(since, 0)).toBe(time - 10 * minute)
    expect(sinceOptions(since)[since]).toBe('Since 31.01. 13:53')
  }
  expect(momentOf('ago:15', time)).toBe(time - 15 * minute)
  expect(momentOf('lines:200', time)).toBeUndefined()
})

test('what is said about a moment is true of the lines that are there', () => {
  const text = (there: boolean, first: number | null, last: number | null, left = 0) =>
    aimText({ time, from: 'the timeline', there }, { firstTime: first, lastTime: last, left })
  const moment = '31.01. 14:03:20.000'
  expect(text(false, null, null)).toBe(`Looking for ${moment}, from the timeline.`)
  expect(text(false, time - 2000, time - 1000)).toBe(`Looking for ${moment}, from the timeline.`)
  expect(text(false, time - 2000, time)).toBe(`At ${moment}, from the timeline.`)
  expect(text(true, null, null)).toBe(`There is no line at ${moment} or later.`)
  expect(text(true, time - 2000, time - 1000)).toMatch(/ or later\. The last one is at .* 14:03:19/)
  expect(text(true, time + 1000, time + 2000)).toMatch(
    /^There is no line at .* The first one after it is at .*14:03:21/,
  )
  expect(text(true, time + 1000, time + 2000, 5)).toMatch(/have left the view/)
  expect(aimText({ time, from: null, there: true }, { firstTime: time, lastTime: time, left: 0 })).toBeNull()
})
