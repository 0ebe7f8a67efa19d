import { expect, test } from 'vitest'
import { chordOf, keysymsOf } from './keysyms.ts'

const [shift, control] = [0xffe1, 0xffe3]
const code = (letter: string) => letter.codePointAt(0) ?? 0

test.each([
  ['a', [code('a')]],
  ['A', [shift, code('A')]],
  ['Control+A', [control, code('a')]],
  ['Control+Shift+a', [control, shift, code('A')]],
  ['Shift+ä', [shift, code('Ä')]],
  ['+', [code('+')]],
  ['Control++', [control, code('+')]],
  ['Return', [0xff0d]],
])('the key %s', (key, keysyms) => expect(keysymsOf(key)).toEqual(keysyms))

test('a large letter is typed with Shift, a sign and a letter of another script by itself', () => {
  expect(['Q', 'q', '!', 'Ж', '😀'].map(chordOf)).toEqual([
    [shift, code('Q')],
    [code('q')],
    [code('!')],
    [0x01000000 + code('Ж')],
    [0x01000000 + code('😀')],
  ])
})
