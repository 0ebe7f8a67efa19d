import { expect, test } from 'vitest'
import { describeKeys, type KeyPress, matchesPress } from './keys.ts'

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

test('mod is ⌘ on a Mac and Ctrl elsewhere', () => {
  expect(matchesPress('mod+k', press('k', { metaKey: true }), true)).toBe(true)
  expect(matchesPress('mod+k', press('k', { ctrlKey: true }), true)).toBe(false)
  expect(matchesPress('mod+k', press('k', { ctrlKey: true }), false)).toBe(true)
  expect(describeKeys('mod+k', true)).toEqual(['⌘', 'K'])
  expect(describeKeys('mod+k', false)).toEqual(['Ctrl', 'K'])
})

test('a plain letter is not the same with a modifier', () => {
  expect(matchesPress('b', press('b'), false)).toBe(true)
  expect(matchesPress('b', press('B', { shiftKey: true }), false)).toBe(false)
  expect(matchesPress('shift+b', press('B', { shiftKey: true }), false)).toBe(true)
  expect(matchesPress('b', press('b', { ctrlKey: true }), false)).toBe(false)
})

test('a question mark brings its own Shift', () => {
  expect(matchesPress('?', press('?', { shiftKey: true }), false)).toBe(true)
})

test('with Alt the key’s place counts, since the letter may be another one', () => {
  expect(matchesPress('ctrl+alt+g', press('©', { ctrlKey: true, altKey: true, code: 'KeyG' }), true)).toBe(true)
})

test('a sequence is drawn key by key', () => {
  expect(describeKeys('g f', false)).toEqual(['G', 'F'])
})

test('on a keyboard of another script the key’s place counts, and on a Latin one it never does', () => {
  const cyrillic = (key: string, code: string, held: Partial<KeyPress> = {}) => press(key, { code, ...held })
  expect(matchesPress('mod+k', cyrillic('л', 'KeyK', { ctrlKey: true }), false)).toBe(true)
  expect(matchesPress('t', cyrillic('е', 'KeyT'), false)).toBe(true)
  expect(matchesPress('shift+t', cyrillic('Е', 'KeyT', { shiftKey: true }), false)).toBe(true)
  expect(matchesPress('mod+,', cyrillic('б', 'Comma', { ctrlKey: true }), false)).toBe(true)
  expect(matchesPress('t', cyrillic('т', 'KeyN'), false)).toBe(false)
  // Dvorak, and a German keyboard.
  expect(matchesPress('k', press('t', { code: 'KeyK' }), false)).toBe(false)
  expect(matchesPress('[', press('ü', { code: 'BracketLeft' }), false)).toBe(false)
})
