import { expect, test } from 'vitest'
import { placeOf } from './Table.tsx'

const idOf = (row: string) => row

test('keys are about the row that was meant, wherever it has gone', () => {
  expect(placeOf({ index: 1, id: 'b' }, ['a', 'b', 'c'], idOf)).toBe(1)
  expect(placeOf({ index: 1, id: 'b' }, ['b', 'a', 'c'], idOf)).toBe(0)
  expect(placeOf({ index: 1, id: 'b' }, ['x', 'a', 'c', 'b'], idOf)).toBe(3)
})

test('a row that is gone leaves its place to the next, or to the last', () => {
  expect(placeOf({ index: 1, id: 'b' }, ['a', 'c'], idOf)).toBe(1)
  expect(placeOf({ index: 2, id: 'c' }, ['a'], idOf)).toBe(0)
  expect(placeOf({ index: 2, id: 'c' }, [], idOf)).toBe(0)
  expect(placeOf({ index: 0, id: undefined }, ['a'], idOf)).toBe(0)
})
