import { expect, test } from 'vitest'
import type { KeyPress } from '../ui/keys.ts'
import { actions as allActions } from './actions.ts'
import { type Action, available, keyMatcher } from './registry.ts'
import { machineTabs, plainScreens, settingsSections } from './route.ts'

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

interface Context {
  held: boolean
}

const action = (id: string, keys: string, rest: Partial<Action<Context>> = {}): Action<Context> => ({
  id,
  keys,
  title: () => id,
  group: 'Test',
  when: () => true,
  run: () => {},
  ...rest,
})

const actions = [
  action('fleet', 'g f'),
  action('full', 'f'),
  action('take', 't', { when: ({ held }) => !held }),
  action('give', 'ctrl+alt+g', { always: true, when: ({ held }) => held }),
]
const idOf = (found: ReturnType<ReturnType<typeof keyMatcher<Context>>>) =>
  found === null || found === 'begun' ? found : found.id

test('only what can be done now is offered', () => {
  expect(available(actions, { held: true }).map((each) => each.id)).toEqual(['fleet', 'full', 'give'])
  expect(idOf(keyMatcher(actions)(press('t'), { held: true }, 0))).toBeNull()
  expect(idOf(keyMatcher(actions)(press('t'), { held: false }, 0))).toBe('take')
})

test('the second key of a sequence is not taken for a key of its own', () => {
  const match = keyMatcher(actions)
  expect(idOf(match(press('g'), { held: false }, 0))).toBe('begun')
  expect(idOf(match(press('f'), { held: false }, 500))).toBe('fleet')
  expect(idOf(match(press('f'), { held: false }, 600))).toBe('full')
})

test('a sequence that takes too long begins anew', () => {
  const match = keyMatcher(actions)
  match(press('g'), { held: false }, 0)
  expect(idOf(match(press('f'), { held: false }, 5000))).toBe('full')
})

test('while the keyboard goes to a machine only the keys that always work do', () => {
  const match = keyMatcher(actions)
  expect(idOf(match(press('f'), { held: true }, 0, true))).toBeNull()
  expect(idOf(match(press('g', { ctrlKey: true, altKey: true }), { held: true }, 0, true))).toBe('give')
})

test('every tab of a machine, every screen and every part of the settings has an action', () => {
  const ids = new Set(allActions.map(({ id }) => id))
  for (const tab of machineTabs) expect(ids, tab).toContain(`machine.${tab}`)
  for (const section of settingsSections) expect(ids, section).toContain(`settings.${section}`)
  for (const screen of ['fleet', 'logs', 'settings', ...plainScreens]) expect(ids, screen).toContain(`go.${screen}`)
})
