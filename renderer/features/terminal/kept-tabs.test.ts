import { expect, test } from 'vitest'
import { arranged, type KeptTab, type KeptTabs, parseTabs, withOwn } from './kept-tabs.ts'
import { type Layout, pane, panes, resized, split } from './layout.ts'

const beside = (...[first = '', second = '']: string[]): Layout =>
  resized(split(pane(first), first, 'row', second), '', 0.3)
const tab = (layout: Layout, focused = panes(layout)[0] ?? ''): KeptTab => ({ layout, focused })
const kept = (windowId: string, tabs: KeptTab[], front: string | null = null): KeptTabs => ({
  ...{ windowId, machineId: 'm', tabs, front },
})
const read = (value: unknown) => parseTabs(JSON.stringify(value))

test('shells that stood side by side do so again, with their share, the keyboard and the tab in front', () => {
  const before = kept('w1', [tab(pane('a')), tab(beside('b', 'c'), 'c'), tab(pane('d'))], 'c')
  expect(arranged(read([before]), 'm', ['d', 'c', 'b', 'a'])).toEqual({ tabs: before.tabs, active: 1 })
})

test('where a shell is gone the rest closes up, and one of which nothing is kept has a tab of its own', () => {
  const three = split(beside('a', 'b'), 'b', 'column', 'c')
  const one = read([kept('w1', [tab(three, 'b'), tab(pane('gone'))], 'a')])
  expect(arranged(one, 'm', ['a', 'c', 'new'])).toEqual({
    tabs: [tab(beside('a', 'c'), 'a'), tab(pane('new'))],
    active: 1,
  })
  expect(arranged(one, 'other', ['a', 'c']).tabs).toEqual([tab(pane('a')), tab(pane('c'))])
})

test('a shell that two windows had stands where the later one had it, once', () => {
  const two = [kept('w1', [tab(beside('a', 'b'))]), kept('w2', [tab(beside('b', 'c'))])]
  expect(arranged(two, 'm', ['a', 'b', 'c']).tabs).toEqual([tab(beside('b', 'c')), tab(pane('a'))])
})

test('garbage is plain tabs', () => {
  const deep = Array.from({ length: 500 }).reduce<unknown>(
    (layout) => ({ kind: 'split', direction: 'row', share: 0.5, first: layout, second: null }),
    pane('a'),
  )
  const odd = [
    ...[null, 7, 'x', {}, [], { windowId: 'w', machineId: 'm' }, { windowId: 1, machineId: 'm', tabs: [] }],
    ...[null, 1, 'a', {}, deep, { kind: 'pane', id: 3 }, { kind: 'split' }].map((layout) => ({
      ...{ windowId: 'w', machineId: 'm', tabs: [null, { layout }], front: 5 },
    })),
  ]
  for (const text of [null, '', '{', 'null', '{"tabs":1}']) expect(parseTabs(text)).toEqual([])
  expect(arranged(read(odd), 'm', ['a', 'b']).tabs).toEqual([tab(pane('a')), tab(pane('b'))])
})

test('a share or a direction that is none becomes one, and a half that is none leaves the other', () => {
  const made = (more: object) =>
    read([kept('w', [tab({ ...beside('a', 'b'), ...more } as Layout, 'a')])])[0]?.tabs[0]?.layout
  expect(made({ share: 9, direction: 'up' })).toMatchObject({ share: 0.88, direction: 'row' })
  expect(made({ share: 'half' })).toMatchObject({ share: 0.5 })
  expect(made({ second: 'x' })).toEqual(pane('a'))
})

test('what is kept of other windows ends with their shells, and what is this window’s now is kept once', () => {
  const [old, other, gone] = [kept('w1', [tab(beside('a', 'b'))]), kept('w2', [tab(pane('c'))]), kept('w3', [])]
  const own = [kept('w4', [tab(beside('a', 'b'))])]
  expect(withOwn([old, other, gone, kept('w4', [])], 'w4', own, ['a', 'b', 'c'])).toEqual([other, ...own])
  expect(withOwn([old, other], 'w4', [], ['b'])).toEqual([old])
})
