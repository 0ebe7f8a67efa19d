import { create } from 'zustand'
import type { WireProblem } from '../../../shared/errors.ts'
import { type Layout, pane, replaced, resized, split, without } from './layout.ts'

export type TerminalKind = 'agent' | 'ssh'

export type TerminalPhase =
  | { phase: 'connecting'; since: number }
  | { phase: 'open'; recorded: boolean }
  /** The line was cut; the shell goes on at the machine until `until`. */
  | { phase: 'reattaching'; since: number; until: number }
  | { phase: 'taken'; operator: string | null }
  | { phase: 'ended'; text: string }
  | { phase: 'failed'; problem: WireProblem }

export interface TerminalView {
  machineId: string
  kind: TerminalKind
  title: string
  state: TerminalPhase
  /** Where the link under the pointer leads. */
  hovered: string | null
  renderer: 'webgl' | 'dom'
}

export interface TerminalTab {
  id: string
  layout: Layout
  /** The pane that has, or had last, the keyboard. */
  focused: string
}

export interface OfMachine {
  tabs: readonly TerminalTab[]
  active: string
}

interface TerminalsState {
  machines: Readonly<Record<string, OfMachine>>
  terminals: Readonly<Record<string, TerminalView>>
  /** A link that waits for the person to say whether it may be opened. */
  link: { url: string; shown: string } | null
  /** Text that would run at once when it is pasted. */
  paste: { terminalId: string; text: string } | null
  finding: string | null
}

/** What is open in the terminals of this window; the shells themselves are in sessions.ts. */
export const useTerminals = create<TerminalsState>(() => ({
  machines: {},
  terminals: {},
  link: null,
  paste: null,
  finding: null,
}))

export function changeTerminal(id: string, changed: Partial<TerminalView>): void {
  useTerminals.setState(({ terminals }) => {
    const before = terminals[id]
    return before === undefined ? {} : { terminals: { ...terminals, [id]: { ...before, ...changed } } }
  })
}

export function tabOf(machineId: string): TerminalTab | undefined {
  const machine = useTerminals.getState().machines[machineId]
  return machine?.tabs.find(({ id }) => id === machine.active)
}

function changeMachine(machineId: string, change: (machine: OfMachine) => OfMachine): void {
  useTerminals.setState(({ machines }) => ({
    machines: { ...machines, [machineId]: change(machines[machineId] ?? { tabs: [], active: '' }) },
  }))
}

function changeTab(machineId: string, tabId: string, change: (tab: TerminalTab) => TerminalTab): void {
  changeMachine(machineId, (machine) => ({
    ...machine,
    tabs: machine.tabs.map((tab) => (tab.id === tabId ? change(tab) : tab)),
  }))
}

/** A new tab with this terminal, in front. */
export function addTab(machineId: string, terminalId: string): void {
  const tab = { id: terminalId, layout: pane(terminalId), focused: terminalId }
  changeMachine(machineId, ({ tabs }) => ({ tabs: [...tabs, tab], active: tab.id }))
}

/** Tabs as they stood before. Whatever was opened meanwhile stays in front. */
export function addTabs(machineId: string, added: readonly TerminalTab[], front: number): void {
  changeMachine(machineId, ({ tabs, active }) => ({
    tabs: [...added, ...tabs],
    active: tabs.length > 0 ? active : (added[front]?.id ?? ''),
  }))
}

/** Whether it is the only terminal of its machine. */
export function isAlone(machineId: string): boolean {
  const tabs = useTerminals.getState().machines[machineId]?.tabs ?? []
  return tabs.length === 1 && tabs[0]?.layout.kind === 'pane'
}

export function addPane(machineId: string, tab: TerminalTab, direction: 'row' | 'column', terminalId: string): void {
  changeTab(machineId, tab.id, ({ layout, focused }) => ({
    ...tab,
    layout: split(layout, focused, direction, terminalId),
    focused: terminalId,
  }))
}

export function replacePane(machineId: string, old: string, terminalId: string): void {
  const tab = useTerminals.getState().machines[machineId]?.tabs.find(({ layout }) => layoutHas(layout, old))
  if (tab === undefined) return addTab(machineId, terminalId)
  changeTab(machineId, tab.id, ({ layout }) => ({
    ...tab,
    layout: replaced(layout, old, terminalId),
    focused: terminalId,
  }))
}

export function removePane(machineId: string, terminalId: string): void {
  changeMachine(machineId, ({ tabs, active }) => {
    const place = tabs.findIndex(({ id }) => id === active)
    const left = tabs.flatMap((tab) => {
      const layout = without(tab.layout, terminalId)
      if (layout === undefined) return []
      return [{ ...tab, layout, focused: tab.focused === terminalId ? firstPane(layout) : tab.focused }]
    })
    const stays = left.some(({ id }) => id === active)
    return { tabs: left, active: stays ? active : (left[Math.min(Math.max(0, place), left.length - 1)]?.id ?? '') }
  })
  useTerminals.setState(({ terminals: { [terminalId]: _gone, ...terminals }, finding }) => ({
    terminals,
    finding: finding === terminalId ? null : finding,
  }))
}

export function showTab(machineId: string, tabId: string): void {
  changeMachine(machineId, (machine) => ({ ...machine, active: tabId }))
}

export function focusPane(machineId: string, tabId: string, terminalId: string): void {
  const tab = useTerminals.getState().machines[machineId]?.tabs.find(({ id }) => id === tabId)
  if (tab?.focused === terminalId) return
  changeTab(machineId, tabId, (tab) => ({ ...tab, focused: terminalId }))
}

export function resizeSplit(machineId: string, tabId: string, way: string, share: number): void {
  changeTab(machineId, tabId, (tab) => ({ ...tab, layout: resized(tab.layout, way, share) }))
}

function firstPane(layout: Layout): string {
  return layout.kind === 'pane' ? layout.id : firstPane(layout.first)
}

function layoutHas(layout: Layout, id: string): boolean {
  return layout.kind === 'pane' ? layout.id === id : layoutHas(layout.first, id) || layoutHas(layout.second, id)
}
