/** How the panes of one tab stand: a tree of halves. */
export type Layout =
  | { kind: 'pane'; id: string }
  | { kind: 'split'; direction: 'row' | 'column'; share: number; first: Layout; second: Layout }

export const pane = (id: string): Layout => ({ kind: 'pane', id })

/** The panes in reading order. */
export function panes(layout: Layout): string[] {
  return layout.kind === 'pane' ? [layout.id] : [...panes(layout.first), ...panes(layout.second)]
}

/** Puts a new pane behind another: to its right in a row, below it in a column. */
export function split(layout: Layout, at: string, direction: 'row' | 'column', added: string): Layout {
  if (layout.kind === 'split') {
    return {
      ...layout,
      first: split(layout.first, at, direction, added),
      second: split(layout.second, at, direction, added),
    }
  }
  if (layout.id !== at) return layout
  return { kind: 'split', direction, share: 0.5, first: layout, second: pane(added) }
}

/** Takes a pane away; its neighbour gets the room. Undefined when nothing is left. */
export function without(layout: Layout, id: string): Layout | undefined {
  return mapped(layout, (one) => (one === id ? undefined : one))
}

/** Gives the panes other names. One that gets none goes, and its neighbour gets the room. */
export function mapped(layout: Layout, nameOf: (id: string) => string | undefined): Layout | undefined {
  if (layout.kind === 'pane') {
    const name = nameOf(layout.id)
    return name === undefined ? undefined : pane(name)
  }
  const [first, second] = [mapped(layout.first, nameOf), mapped(layout.second, nameOf)]
  return first === undefined || second === undefined ? (first ?? second) : { ...layout, first, second }
}

/** Puts one pane in the place of another. */
export function replaced(layout: Layout, id: string, by: string): Layout {
  if (layout.kind === 'pane') return layout.id === id ? pane(by) : layout
  return { ...layout, first: replaced(layout.first, id, by), second: replaced(layout.second, id, by) }
}

/** The smallest part of a split that still shows something to read. */
const minShare = 0.12

export const inBounds = (share: number) => Math.min(1 - minShare, Math.max(minShare, share))

/** Changes how a split, named by the way to it (`0` first, `1` second), is divided. */
export function resized(layout: Layout, way: string, share: number): Layout {
  if (layout.kind === 'pane') return layout
  if (way === '') return { ...layout, share: inBounds(share) }
  const rest = way.slice(1)
  return way[0] === '0'
    ? { ...layout, first: resized(layout.first, rest, share) }
    : { ...layout, second: resized(layout.second, rest, share) }
}

/** The pane behind this one, in a circle. */
export function nextPane(layout: Layout, id: string): string {
  const all = panes(layout)
  return all[(all.indexOf(id) + 1) % all.length] ?? id
}
