import { note, readShells } from './kept-shells.ts'
import { inBounds, type Layout, mapped, pane, panes } from './layout.ts'
import { type OfMachine, useTerminals } from './terminals.store.ts'

/** How the shells that the windows of this console hold stand, so that they are found again as they stood. */
const storageKey = 'pilothouse.shell-tabs'
/** While a line between panes is dragged, every step would be written. */
const settleMs = 100
/** Deeper is no split that anyone made; it is not followed. */
const maxDepth = 24

/** A tab with shells where the window has panes. */
export interface KeptTab {
  layout: Layout
  focused: string
}

export interface KeptTabs {
  /** Two windows may have terminals of the same machine. */
  windowId: string
  machineId: string
  tabs: readonly KeptTab[]
  /** The shell that had the keyboard. */
  front: string | null
}

export function parseTabs(text: string | null): KeptTabs[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(kept) ? kept.flatMap(parseOne) : []
  } catch {
    return []
  }
}

function parseOne(one: unknown): KeptTabs[] {
  const { windowId, machineId, tabs, front } = fieldsOf(one)
  if (typeof windowId !== 'string' || typeof machineId !== 'string' || !Array.isArray(tabs)) return []
  const read = tabs.flatMap((tab) => {
    const { layout: kept, focused } = fieldsOf(tab)
    const layout = parseLayout(kept, maxDepth)
    return layout === undefined ? [] : [{ layout, focused: typeof focused === 'string' ? focused : '' }]
  })
  return [{ windowId, machineId, tabs: read, front: typeof front === 'string' ? front : null }]
}

/** What is no layout is left out, and what stood beside it gets the room. */
function parseLayout(kept: unknown, depth: number): Layout | undefined {
  const { kind, id, direction, share, ...parts } = fieldsOf(kept)
  if (kind === 'pane') return typeof id === 'string' ? pane(id) : undefined
  if (kind !== 'split' || depth === 0) return undefined
  const [first, second] = [parseLayout(parts['first'], depth - 1), parseLayout(parts['second'], depth - 1)]
  if (first === undefined || second === undefined) return first ?? second
  const divided = typeof share === 'number' && Number.isFinite(share) ? inBounds(share) : 0.5
  return { kind, direction: direction === 'column' ? 'column' : 'row', share: divided, first, second }
}

const fieldsOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>

/** The tabs in which these shells of a machine stood, each shell once; one of which nothing is kept has its own. */
export function arranged(
  kept: readonly KeptTabs[],
  machineId: string,
  shells: readonly string[],
): { tabs: KeptTab[]; active: number } {
  const left = new Set(shells)
  const take = (id: string) => (left.delete(id) ? id : undefined)
  // The newest first: it knows where a shell stands now.
  const ofMachine = kept.filter((one) => one.machineId === machineId).reverse()
  const tabs = ofMachine.flatMap((one) => one.tabs.flatMap((tab) => whole(tab, take) ?? []))
  const fronts = ofMachine.map(({ front }) => front)
  const active = tabs.findIndex(({ focused }) => fronts.includes(focused))
  const newer = [...left].map((id) => ({ layout: pane(id), focused: id }))
  // Opened a moment before the window went: it was in front, and that was not written any more.
  if (newer.length > 0 || active === -1) return { tabs: [...tabs, ...newer], active: tabs.length + newer.length - 1 }
  return { tabs, active }
}

/** A tab with other names for its panes; those without one are left out. */
export function whole(tab: KeptTab, nameOf: (id: string) => string | undefined): KeptTab | undefined {
  const names = new Map(panes(tab.layout).map((id) => [id, nameOf(id)]))
  const layout = mapped(tab.layout, (id) => names.get(id))
  if (layout === undefined) return undefined
  return { layout, focused: names.get(tab.focused) ?? panes(layout)[0] ?? '' }
}

/** Puts in what one window has; of others it keeps what still has a shell that is not this window's. */
export function withOwn(
  kept: readonly KeptTabs[],
  windowId: string,
  own: readonly KeptTabs[],
  shells: readonly string[],
): KeptTabs[] {
  const mine = new Set(own.flatMap(({ tabs }) => shellsOf(tabs)))
  const alive = new Set(shells.filter((id) => !mine.has(id)))
  const others = kept.filter((one) => one.windowId !== windowId && shellsOf(one.tabs).some((id) => alive.has(id)))
  return [...others, ...own]
}

const shellsOf = (tabs: readonly KeptTab[]) => tabs.flatMap(({ layout }) => panes(layout))

const read = () => parseTabs(localStorage.getItem(storageKey))

/** How the shells of a window that is gone stood. */
export function tabsOf(machineId: string, shells: readonly string[]): ReturnType<typeof arranged> {
  return arranged(read(), machineId, shells)
}

/** From now on keeps how this window's shells stand. `shellOf` knows which shell a pane shows, if it can be kept. */
export function keepTabs(shellOf: (paneId: string) => string | undefined): void {
  const windowId = crypto.randomUUID()
  let written = '[]'
  let waiting = false
  const write = () => {
    waiting = false
    const own = Object.entries(useTerminals.getState().machines).flatMap(([machineId, { tabs, active }]) =>
      ownOf(windowId, machineId, { tabs, active }, shellOf),
    )
    const text = JSON.stringify(own)
    if (text === written) return
    written = text
    const shells = readShells().map(({ shellId }) => shellId)
    note(storageKey, withOwn(read(), windowId, own, shells))
  }
  useTerminals.subscribe(() => {
    if (!waiting) setTimeout(write, settleMs)
    waiting = true
  })
}

function ownOf(
  windowId: string,
  machineId: string,
  { tabs, active }: OfMachine,
  shellOf: (paneId: string) => string | undefined,
): KeptTabs[] {
  const kept = tabs.flatMap((tab) => whole(tab, shellOf) ?? [])
  const front = shellOf(tabs.find(({ id }) => id === active)?.focused ?? '') ?? null
  return kept.length === 0 ? [] : [{ windowId, machineId, tabs: kept, front }]
}
