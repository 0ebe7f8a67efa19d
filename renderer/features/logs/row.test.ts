import { expect, test } from 'vitest'
import { formatMoment } from './row.ts'

test('a moment of another day is told with its day', () => {
  const now = new Date()
  now.setHours(0, 0, 5, 7)
  expect(formatMoment(now.getTime())).toBe('00:00:05.007')
  const before = new Date(now.getTime() - 6000)
  expect(formatMoment(before.getTime())).toMatch(/^\d\d\.\d\d\. 23:59:59\.007$/)
  expect(formatMoment(now.getTime(), true)).toMatch(/^\d\d\.\d\d\. 00:00:05\.007$/)
})
