import type { MachineView } from '../../../shared/domain/machine.ts'
import { LogsPanel } from './LogsPanel.tsx'

/** The logs of one machine. */
export function LogsTab({ machine }: { machine: MachineView }) {
  return <LogsPanel key={machine.id} view={`machine ${machine.id}`} machines={[machine]} />
}
