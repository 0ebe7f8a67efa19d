import { expect, test } from 'vitest'
import type { KeyPress } from '../ui/keys.ts'
import { nameOf } from './action-names.ts'
import { actions } from './actions.ts'
import { addPress, mistakeIn, pressOf, withKeys } from './chosen-keys.ts'

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...held,
})
const verify = { id: 'machine.verify' }
const mistake = (keys: string, action: { id: string; always?: boolean } = verify) =>
  mistakeIn(keys, action, actions, nameOf, false)

test('what is pressed is written as the actions write it', () => {
  expect(pressOf(press('K', { ctrlKey: true, shiftKey: true }), false)).toBe('mod+shift+k')
  expect(pressOf(press('k', { metaKey: true }), true)).toBe('mod+k')
  expect(pressOf(press('?', { shiftKey: true }), false)).toBe('?')
  expect(pressOf(press('л', { ctrlKey: true, code: 'KeyK' }), false)).toBe('mod+k')
  expect(pressOf(press('˚', { altKey: true, code: 'KeyK' }), true)).toBe('alt+k')
  expect(pressOf(press('Shift', { shiftKey: true }), false)).toBeNull()
  expect(pressOf(press('k', { metaKey: true }), false)).toBeNull()
})

test('two plain keys are a sequence; a third begins anew, and so does anything that is held', () => {
  expect(addPress('', 'g')).toBe('g')
  expect(addPress('g', 'f')).toBe('g f')
  expect(addPress('g f', 'x')).toBe('x')
  expect(addPress('g', 'mod+k')).toBe('mod+k')
  expect(addPress('mod+k', 'g')).toBe('g')
})

test('keys of another action are refused by its name, however Ctrl is written', () => {
  expect(mistake('mod+k')).toContain('Search or run a command')
  expect(mistake('mod+shift+t')).toContain('New terminal')
  expect(mistake('h')).toBeNull()
  expect(mistake('alt+h')).toBeNull()
})

test('a key that begins a sequence of another cannot stand alone, and no sequence can begin with a key that does', () => {
  expect(mistake('g')).toMatch(/These are the keys of/)
  expect(mistake('t x')).toContain('Take over')
})

test.each(['enter', 'shift+tab', '.', 'g escape', 'mod+c', 'ctrl+w'])(
  '%s belongs to lists, text and windows',
  (keys) => {
    expect(mistake(keys)).not.toBeNull()
  },
)

test('what works while a machine has the keyboard needs keys that a machine does not want', () => {
  const always = { id: 'machine.give-back', always: true }
  expect(mistake('y', always)).toMatch(/hold Ctrl/)
  expect(mistake('mod+alt+y', always)).toBeNull()
})

test('every action’s own keys are keys that it may have, and it has a name', () => {
  for (const action of actions) {
    expect(mistakeIn(action.keys, action, actions, nameOf, false), action.id).toBeNull()
    expect(nameOf(action), action.id).toMatch(/^[A-ZÄÖÜ]\S/)
  }
})

test('what was chosen counts, and what was not keeps its own', () => {
  const changed = withKeys(actions, { 'machine.verify': 'alt+h', 'no.such': 'x' })
  expect(changed.find(({ id }) => id === 'machine.verify')?.keys).toBe('alt+h')
  expect(changed.find(({ id }) => id === 'machine.edit')?.keys).toBe('e')
  // What the key was before is free now, and what it is taken.
  expect(mistakeIn('h', { id: 'machine.edit' }, changed, nameOf, false)).toBeNull()
  expect(mistakeIn('alt+h', { id: 'machine.edit' }, changed, nameOf, false)).toContain('Health check')
})
