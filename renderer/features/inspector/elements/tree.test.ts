import { describe, expect, test } from 'vitest'
import { readAxNodes } from './ax.ts'
import { readBox } from './BoxFigure.tsx'
import {
  addNode,
  type CdpNode,
  inlineText,
  keyOf,
  type Nodes,
  pathTo,
  removeNode,
  selectorOf,
  visibleRows,
} from './tree.ts'

let last = 0
const element = (name: string, children: CdpNode[] | number = [], more: Partial<CdpNode> = {}): CdpNode => ({
  ...{
    nodeId: ++last,
    backendNodeId: last + 1000,
    nodeType: 1,
    nodeName: name.toUpperCase(),
    localName: name,
    nodeValue: '',
  },
  ...(typeof children === 'number' ? { childNodeCount: children } : { childNodeCount: children.length, children }),
  ...more,
})
const text = (value: string): CdpNode => ({ ...element('', []), nodeType: 3, nodeName: '#text', nodeValue: value })
const build = (root: CdpNode) => {
  const nodes: Nodes = new Map()
  return { nodes, root: addNode(nodes, root, null, undefined) }
}
const names = (nodes: Nodes, root: string, open: readonly string[]) =>
  visibleRows(nodes, root, new Set(open)).map(
    ({ key, depth, closing }) => `${'  '.repeat(depth)}${closing ? '/' : ''}${nodes.get(key)?.name}`,
  )

describe('the tree', () => {
  test('shows what is open, with the end of each element', () => {
    const price = element('b', [text('12')])
    const list = element('ul', [element('li', [price, element('i')]), text('  \n '), element('li')])
    const { nodes, root } = build(element('body', [list]))
    const li = keyOf(undefined, list.children?.[0]?.nodeId ?? 0)
    expect(names(nodes, root, [root, keyOf(undefined, list.nodeId), li])).toEqual([
      'body',
      '  ul',
      '    li',
      '      b',
      '      i',
      '    /li',
      '    li',
      '  /ul',
      '/body',
    ])
    const b = nodes.get(keyOf(undefined, price.nodeId))
    expect(b === undefined ? undefined : inlineText(nodes, b)).toBe('12')
  })

  test('has shadow roots and documents of frames among the children, which are fetched when they are wanted', () => {
    const shadow = {
      ...element('', [element('em')]),
      nodeType: 11,
      nodeName: '#document-fragment',
      localName: '',
      shadowRootType: 'open',
    }
    const inner = {
      ...element('', [element('html')]),
      nodeType: 9,
      nodeName: '#document',
      localName: '',
      documentURL: 'https://x',
    }
    const host = element('div', [], { shadowRoots: [shadow] })
    const frame = element('iframe', [], { contentDocument: inner, frameId: 'F' })
    const far = element('section', 40)
    const { nodes, root } = build(element('body', [host, frame, far]))
    const open = [root, keyOf(undefined, host.nodeId), keyOf(undefined, frame.nodeId)]
    const kinds = visibleRows(nodes, root, new Set(open))
      .filter(({ closing }) => !closing)
      .map(({ key }) => nodes.get(key)?.kind)
    expect(kinds).toEqual(['element', 'element', 'shadow', 'element', 'document', 'element'])
    expect(nodes.get(keyOf(undefined, far.nodeId))).toMatchObject({ children: null, childCount: 40 })
    expect(
      visibleRows(nodes, root, new Set(open)).find(({ key }) => key === keyOf(undefined, far.nodeId))?.expandable,
    ).toBe(true)
  })

  test('forgets a node with all that is in it', () => {
    const inside = element('b', [text('x')])
    const gone = element('p', [inside])
    const { nodes } = build(element('body', [gone]))
    removeNode(nodes, keyOf(undefined, gone.nodeId))
    expect([...nodes.values()].map(({ name }) => name)).toEqual(['body'])
  })

  test('ten thousand children are ten thousand rows', () => {
    const { nodes, root } = build(
      element(
        'ul',
        Array.from({ length: 10_000 }, () => element('li')),
      ),
    )
    const rows = visibleRows(nodes, root, new Set([root]))
    expect(rows).toHaveLength(10_002)
    expect(pathTo(nodes, rows.at(-2)?.key ?? '')).toHaveLength(2)
  })
})

test('a selector goes by id where there is a plain one, by place otherwise', () => {
  const second = element('li')
  const named = element('span')
  const odd = element('i', [], { attributes: ['id', 'a b'] })
  const list = element('ul', [element('li'), second], {})
  const box = element('div', [named, odd], { attributes: ['class', 'x', 'id', 'box'] })
  const { nodes } = build(element('html', [element('body', [list, box])]))
  const of = (node: CdpNode) => selectorOf(nodes, keyOf(undefined, node.nodeId))
  expect(of(second)).toBe('body > ul > li:nth-of-type(2)')
  expect(of(named)).toBe('#box > span')
  expect(of(odd)).toBe('#box > i')
  expect(of(box)).toBe('#box')
})

test('a box is told by what lies between its edges', () => {
  const quad = (left: number, top: number, right: number, bottom: number) => [
    left,
    top,
    right,
    top,
    right,
    bottom,
    left,
    bottom,
  ]
  const box = readBox({
    margin: quad(0, 0, 140, 120),
    border: quad(20, 10, 120, 110),
    padding: quad(21, 11, 119, 109),
    content: quad(31, 16, 109, 104),
  })
  expect(box).toEqual({
    width: 78,
    height: 88,
    x: 20,
    y: 10,
    margin: [10, 20, 10, 20],
    border: [1, 1, 1, 1],
    padding: [5, 10, 5, 10],
  })
})

test('in the accessibility tree the children of what is ignored take its place', () => {
  const node = (nodeId: string, role: string, childIds: string[] = [], ignored = false) => ({
    nodeId,
    ignored,
    role: { value: role },
    childIds,
  })
  const read = readAxNodes(
    [
      node('1', 'RootWebArea', ['2']),
      node('2', 'none', ['3', '4'], true),
      node('3', 'button'),
      node('4', 'list', ['9']),
    ],
    undefined,
  )
  expect(read.get(' :1')?.children).toEqual([' :3', ' :4'])
  expect(read.get(' :3')).toMatchObject({ leaf: true, children: [] })
  // Not told yet: asked for when it is opened.
  expect(read.get(' :4')?.children).toBeNull()
})
