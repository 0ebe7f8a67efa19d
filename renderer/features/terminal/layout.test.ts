import { expect, test } from 'vitest'
import { type Layout, mapped, nextPane, pane, panes, replaced, resized, split, without } from './layout.ts'

const three = (): Layout => split(split(pane('a'), 'a', 'row', 'b'), 'b', 'column', 'c')

test('panes are split, walked and taken away', () => {
  expect(panes(three())).toEqual(['a', 'b', 'c'])
  expect(nextPane(three(), 'b')).toBe('c')
  expect(nextPane(three(), 'c')).toBe('a')
  expect(without(three(), 'b')).toEqual(split(pane('a'), 'a', 'row', 'c'))
  expect(without(pane('a'), 'a')).toBeUndefined()
  expect(mapped(three(), (id) => (id === 'a' ? undefined : id.toUpperCase()))).toEqual(
    split(pane('B'), 'B', 'column', 'C'),
  )
  expect(panes(replaced(three(), 'b', 'x'))).toEqual(['a', 'x', 'c'])
})

test('a split is divided where it is dragged to, within bounds, and no other moves', () => {
  const inner = (layout: Layout) => (layout.kind === 'split' ? layout.second : layout)
  expect(resized(three(), '', 0.3)).toMatchObject({ share: 0.3 })
  expect(inner(resized(three(), '1', 0.9))).toMatchObject({ share: 0.88 })
  expect(inner(resized(three(), '1', -1))).toMatchObject({ share: 0.12 })
  expect(resized(three(), '1', 0.7)).toMatchObject({ share: 0.5 })
})
