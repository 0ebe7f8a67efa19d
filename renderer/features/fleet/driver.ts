import type { MachineView } from '../../../shared/domain/machine.ts'
import { driverTitle } from '../engine/driver-title.ts'
import { isReachable } from '../machine/reach.ts'

/** Who drives the browser, in a word or two; null when nobody can say. */
export function driverOf(machine: MachineView): string | null {
  const { lease, driver } = machine
  if (lease !== null) return lease.mine ? 'you' : lease.operator
  if (driver !== null) return driverTitle(driver)
  return machine.state === 'running' && isReachable(machine) ? 'idle' : null
}
