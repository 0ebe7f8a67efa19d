import type { TerminalKind } from './terminals.store.ts'

/** What keys and menus ask of the terminals. They are loaded when first shown, and say here what they can do. */
export interface TerminalHost {
  open(machineId: string, kind: TerminalKind): void
  split(machineId: string, direction: 'row' | 'column'): void
  close(machineId: string): void
  focusNext(machineId: string): void
  find(machineId: string): void
}

export const terminalHost: { current: TerminalHost | null } = { current: null }
