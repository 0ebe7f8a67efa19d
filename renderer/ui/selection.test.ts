import { expect, test } from 'vitest'
import { extend, keepShown, type Selecting, toggle } from './selection.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
const nothing: Selecting = { selected: new Set(), anchor: null }
const list = ({ selected }: Selecting) => [...selected].sort().join('')

test('one more, one less', () => {
  const one = toggle(nothing, 'b')
  expect(list(one)).toBe('b')
  expect(list(toggle(one, 'b'))).toBe('')
})

test('a range goes from the last one touched, in either direction, and adds to what was selected', () => {
  const begun = toggle(toggle(nothing, 'a'), 'd')
  expect(list(extend(begun, ids, 'b'))).toBe('abcd')
  expect(list(extend(begun, ids, 'e'))).toBe('ade')
  // The anchor stays, so that a range can be drawn anew.
  expect(extend(begun, ids, 'b').anchor).toBe('d')
})

test('without a beginning, or with one that is no longer shown, a range is the one row', () => {
  expect(list(extend(nothing, ids, 'c'))).toBe('c')
  expect(list(extend({ selected: new Set(['x']), anchor: 'x' }, ids, 'c'))).toBe('cx')
})

test('what is gone is not selected any more', () => {
  const selected = new Set(['a', 'b'])
  expect(keepShown(selected, () => true)).toBe(selected)
  expect([...keepShown(selected, (id) => id === 'a')]).toEqual(['a'])
})
