import type { MachineView } from '../../../shared/domain/machine.ts'
import { go } from '../../app/route.ts'
import type { TerminalKind } from './terminals.store.ts'

/** Shows a machine's terminals with one more among them. */
export function openTerminalOf(machine: MachineView, kind: TerminalKind): void {
  go({ screen: 'machine', machineId: machine.id, tab: 'terminal' })
  // Loaded when first wanted: most starts of the console never show one.
  void import('./sessions.ts').then(({ openTerminal }) => openTerminal(machine.id, kind))
}
