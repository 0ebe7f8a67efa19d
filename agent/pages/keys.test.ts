import { expect, test } from 'vitest'
import { strokeFor } from './keys.ts'

test.each([
  ['a', 'KeyA', 65, 0],
  ['Z', 'KeyZ', 90, 8],
  ['7', 'Digit7', 55, 0],
  ['&', 'Digit7', 55, 8],
  [')', 'Digit0', 48, 8],
  ['"', 'Quote', 222, 8],
  ['\\', 'Backslash', 220, 0],
  [' ', 'Space', 32, 0],
])('%s is %s', (character, code, windowsVirtualKeyCode, modifiers) => {
  expect(strokeFor(character)).toEqual({ key: character, code, windowsVirtualKeyCode, modifiers, text: character })
})

test('a line break is Enter, and what has no key has none', () => {
  expect(strokeFor('\n')).toMatchObject({ key: 'Enter', text: '\r' })
  for (const character of ['é', '日', '🙂']) expect(strokeFor(character)).toBeUndefined()
})
