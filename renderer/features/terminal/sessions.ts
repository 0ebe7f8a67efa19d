import { useApp } from '../../app/app.store.ts'
import { confirm } from '../../app/ui.store.ts'
import { toast } from '../../ui/Toast.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { terminalHost } from './host.ts'
import { type FoundShell, takeOrphans } from './kept-shells.ts'
import { keepTabs, tabsOf, whole } from './kept-tabs.ts'
import { nextPane, panes } from './layout.ts'
import { TerminalSession } from './session.ts'
import {
  addPane,
  addTab,
  addTabs,
  focusPane,
  isAlone,
  removePane,
  replacePane,
  type TerminalKind,
  type TerminalTab,
  tabOf,
  useTerminals,
} from './terminals.store.ts'

/** More at once is not a person working, and each keeps its scrollback. */
const maxTerminals = 24

const sessions = new Map<string, TerminalSession>()

export function sessionOf(id: string): TerminalSession | undefined {
  return sessions.get(id)
}

function begin(machineId: string, kind: TerminalKind, place: (id: string) => void, found?: FoundShell): void {
  if (sessions.size >= maxTerminals) {
    toast({
      title: `There are ${maxTerminals} terminals open`,
      detail: 'Close one, then open another.',
      kind: 'problem',
      id: 'terminals',
    })
    return
  }
  const id = crypto.randomUUID()
  const session = new TerminalSession(id, machineId, kind, found)
  sessions.set(id, session)
  const view = {
    machineId,
    kind,
    title: '',
    state: { phase: 'connecting', since: Date.now() } as const,
    hovered: null,
    renderer: 'dom' as const,
  }
  useTerminals.setState(({ terminals }) => ({ terminals: { ...terminals, [id]: view } }))
  place(id)
}

/** Called by the pane when it stands in the page: only then is it known how many columns there are. */
export async function startSession(id: string): Promise<void> {
  const session = sessions.get(id)
  if (session === undefined || started.has(session)) return
  started.add(session)
  if ((await session.start()) || !sessions.has(id)) return
  // A shell that is gone leaves no pane, unless it is the last one there: whoever comes wants a shell.
  if (isAlone(session.machineId)) await session.start()
  else end(session.machineId, id)
}
const started = new WeakSet<TerminalSession>()

export function openTerminal(machineId: string, kind: TerminalKind): void {
  begin(machineId, kind, (id) => addTab(machineId, id))
}

/** For whoever comes the first time: the shells of a window that is gone, or else a new one. */
export async function openFirst(machineId: string): Promise<void> {
  if (looking.has(machineId)) return
  looking.add(machineId)
  const found = await takeOrphans(machineId, maxTerminals - sessions.size)
  looking.delete(machineId)
  if (found.length === 0) {
    if (useTerminals.getState().machines[machineId] === undefined) openTerminal(machineId, 'agent')
    return
  }
  const ids = new Map<string, string>()
  for (const shell of found) begin(machineId, 'agent', (id) => ids.set(shell.shellId, id), shell)
  const { tabs, active } = tabsOf(machineId, [...ids.keys()])
  const shown = tabs.flatMap((tab) => whole(tab, (shellId) => ids.get(shellId)) ?? [])
  addTabs(
    machineId,
    shown.map((tab) => ({ id: tab.focused, ...tab })),
    active,
  )
  await attachAll([...ids.values()])
}
const looking = new Set<string>()

/** Attaches shells that no pane shows as well: their machine ends them if nobody comes. */
async function attachAll(ids: readonly string[]): Promise<void> {
  // The pane in front stands in the page by then, and the others will be as large as it.
  await new Promise((resolve) => setTimeout(resolve))
  const all = ids.flatMap((id) => sessions.get(id) ?? [])
  const shown = all.find((session) => started.has(session))?.screen.terminal
  for (const session of all) {
    if (shown !== undefined && !started.has(session)) session.screen.terminal.resize(shown.cols, shown.rows)
    void startSession(session.id)
  }
}

export function splitTerminal(machineId: string, direction: 'row' | 'column'): void {
  const tab = tabOf(machineId)
  if (tab === undefined) return openTerminal(machineId, 'agent')
  const kind = useTerminals.getState().terminals[tab.focused]?.kind ?? 'agent'
  begin(machineId, kind, (id) => addPane(machineId, tab, direction, id))
}

/** A new shell in the place of one that has ended. */
export function restartTerminal(machineId: string, old: string, kind: TerminalKind): void {
  begin(machineId, kind, (id) => replacePane(machineId, old, id))
  end(machineId, old)
}

function end(machineId: string, id: string): void {
  sessions.get(id)?.close()
  sessions.delete(id)
  removePane(machineId, id)
}

function isAlive(id: string): boolean {
  const phase = useTerminals.getState().terminals[id]?.state.phase
  return phase === 'open' || phase === 'reattaching' || phase === 'connecting'
}

function ask(machineId: string, ids: readonly string[]): void {
  const alive = ids.filter(isAlive)
  if (alive.length === 0) {
    for (const id of ids) end(machineId, id)
    return
  }
  const name = useFleet.getState().machines[machineId]?.name ?? 'the machine'
  confirm({
    title: alive.length === 1 ? 'Close this terminal?' : `Close these ${alive.length} terminals?`,
    text: `The ${alive.length === 1 ? 'shell' : 'shells'} on ${name}, and everything that runs in ${alive.length === 1 ? 'it' : 'them'}, will be ended.`,
    action: alive.length === 1 ? 'Close terminal' : 'Close terminals',
    run: async () => {
      for (const id of ids) end(machineId, id)
      return true
    },
  })
}

export const closePane = (machineId: string, id: string) => ask(machineId, [id])
export const closeTab = (machineId: string, tab: TerminalTab) => ask(machineId, panes(tab.layout))

terminalHost.current = {
  open: openTerminal,
  split: splitTerminal,
  close(machineId) {
    const tab = tabOf(machineId)
    if (tab !== undefined) closePane(machineId, tab.focused)
  },
  focusNext(machineId) {
    const tab = tabOf(machineId)
    if (tab === undefined) return
    const next = nextPane(tab.layout, tab.focused)
    focusPane(machineId, tab.id, next)
    sessions.get(next)?.focus()
  },
  find(machineId) {
    useTerminals.setState({ finding: tabOf(machineId)?.focused ?? null })
  },
}

keepTabs((id) => sessions.get(id)?.keptShell)

// Settings reach the terminals that are open.
useApp.subscribe(({ info }) => {
  for (const { screen } of sessions.values()) {
    const wanted = info?.settings.screenReader ?? false
    if (screen.terminal.options.screenReaderMode !== wanted) screen.terminal.options.screenReaderMode = wanted
  }
})

// A machine that left the fleet takes its terminals along.
useFleet.subscribe(({ machines, status }) => {
  if (status.phase === 'loading') return
  for (const { id, machineId } of sessions.values()) if (machines[machineId] === undefined) end(machineId, id)
})
