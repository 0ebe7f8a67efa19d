import { expect, test } from 'vitest'
import { machine } from '../features/machine/machine.fixture.ts'
import type { ActionContext } from './action-kit.ts'
import { actions } from './actions.ts'
import { paletteEntries } from './palette.ts'
import { available } from './registry.ts'

const context = (changed: Partial<ActionContext> = {}): ActionContext => ({
  route: { screen: 'fleet' },
  machine: null,
  local: null,
  theme: 'dark',
  dark: true,
  pinned: false,
  ...changed,
})
const onPage = (shown: ActionContext['machine'], tab: 'live' | 'overview' = 'live') =>
  context({ machine: shown, route: { screen: 'machine', machineId: shown?.id ?? '', tab } })
const ids = (given: ActionContext) => available(actions, given).map((action) => action.id)

test('every action has a name and keys of its own', () => {
  expect(new Set(actions.map((action) => action.id)).size).toBe(actions.length)
  expect(new Set(actions.map((action) => action.keys)).size).toBe(actions.length)
})

test('without a machine open there is nothing to take over', () => {
  expect(ids(context())).not.toContain('machine.take-over')
})

test('control is taken from nobody, given back only by its holder, and whoever else wants it hears who has it', () => {
  const lease = { operator: 'Ada', reason: '', takenAt: '', expiresAt: '' }
  expect(ids(onPage(machine()))).toContain('machine.take-over')
  const held = onPage(machine({ name: 'shop-1', lease: { ...lease, mine: false } }))
  expect(ids(held)).not.toContain('machine.give-back')
  const take = available(actions, held).find(({ id }) => id === 'machine.take-over')
  expect(take?.title(held)).toBe('Take over shop-1: Ada has control')
  const mine = ids(onPage(machine({ lease: { ...lease, mine: true } })))
  expect(mine).not.toContain('machine.take-over')
  expect(mine).toContain('machine.give-back')
})

test('a browser is started where it is off and stopped where it runs, on a machine that is up', () => {
  expect(ids(onPage(machine()))).toContain('browser.stop')
  expect(ids(onPage(machine()))).not.toContain('browser.start')
  const off = machine({}, { state: 'inactive' })
  expect(ids(onPage(off))).toContain('browser.start')
  expect(ids(onPage({ ...off, state: 'unknown' }))).not.toContain('browser.start')
})

test('this computer is offered while it is not running', () => {
  expect(ids(context())).toContain('local.start')
  expect(ids(context({ local: machine({ state: 'running' }) }))).not.toContain('local.start')
  expect(ids(context({ local: machine({ state: 'terminated' }) }))).toContain('local.start')
})

test('the palette finds machines by name and keeps groups together', () => {
  const fleet = ['prod-01', 'stg-02'].map((id) => machine({ id, name: id }))
  const found = paletteEntries('stg', actions, onPage(machine()), fleet)
  expect(found[0]?.title).toBe('stg-02')
  const all = paletteEntries('', actions, onPage(machine()), fleet).map((entry) => entry.group)
  const switches = all.filter((group, place) => group !== all[place - 1]).length
  expect(switches).toBe(new Set(all).size)
})
