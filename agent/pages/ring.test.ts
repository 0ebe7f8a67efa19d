import { expect, test } from 'vitest'
import { Ring } from './ring.ts'

test('keeps the newest, in order, and says what it let go', () => {
  const evicted: number[] = []
  const ring = new Ring<number>(3, (item) => evicted.push(item))
  expect(ring.list()).toEqual([])
  for (const item of [1, 2]) ring.push(item)
  expect(ring.list()).toEqual([1, 2])
  for (const item of [3, 4, 5]) ring.push(item)
  expect(ring.list()).toEqual([3, 4, 5])
  expect(evicted).toEqual([1, 2])
})
