import type { MachineView } from '../../../shared/domain/machine.ts'
import { useUi } from '../../app/ui.store.ts'

/** Opens the dialog that runs a command or starts a job on the machine. */
export const openRunTask = (machine: MachineView) => useUi.setState({ open: 'run-task', about: machine.id })
