import { expect, test } from 'vitest'
import { formatAge, formatElapsed, formatLeft, formatTime, formatWhen } from './time.ts'

test('an age has one unit', () => {
  expect(formatAge(0)).toBe('0 s')
  expect(formatAge(59_999)).toBe('59 s')
  expect(formatAge(60_000)).toBe('1 min')
  expect(formatAge(3_599_999)).toBe('59 min')
  expect(formatAge(3_600_000)).toBe('1 h')
  expect(formatAge(47 * 3_600_000)).toBe('47 h')
  expect(formatAge(48 * 3_600_000)).toBe('2 d')
})

test('a clock that is ahead of ours does not make negative ages', () => {
  expect(formatAge(-5000)).toBe('0 s')
})

test('what is left is a clock that reaches zero only at the end', () => {
  expect(formatLeft(272_000)).toBe('4:32')
  expect(formatLeft(999)).toBe('0:01')
  expect(formatLeft(0)).toBe('0:00')
  expect(formatLeft(-1)).toBe('0:00')
})

test('elapsed time keeps its seconds', () => {
  expect(formatElapsed(8_900)).toBe('8 s')
  expect(formatElapsed(64_000)).toBe('1 min 4 s')
})

test('a time that is none is a dash', () => {
  expect(formatTime('not a time')).toBe('–')
  expect(formatTime('2026-01-02T03:04:05.000Z')).toMatch(/^\d\d:\d\d:05$/)
})

test('a moment of another day says which', () => {
  const now = new Date(2026, 10, 18, 9, 0, 0)
  expect(formatWhen(new Date(2026, 10, 18, 8, 59, 58).toISOString(), now)).toBe('08:59:58')
  expect(formatWhen(new Date(2026, 10, 17, 23, 59, 58).toISOString(), now)).toBe('17.11. 23:59:58')
  expect(formatWhen('not a time', now)).toBe('–')
})
