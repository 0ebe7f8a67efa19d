import { expect, test } from 'vitest'
import { sortRows } from './useSort.ts'

test('names with numbers are in the order people count, and what is not known is last both ways', () => {
  const names = ['w10', 'w2', null, 'w1']
  expect(sortRows(names, (name) => name, false)).toEqual(['w1', 'w2', 'w10', null])
  expect(sortRows(names, (name) => name, true)).toEqual(['w10', 'w2', 'w1', null])
  expect(sortRows([3, 20, 1], (value) => value, false)).toEqual([1, 3, 20])
})
