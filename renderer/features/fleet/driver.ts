import type { MachineView } from '../../../shared/domain/machine.ts'

/** Who drives the browser, in a word; null when nobody does, or nobody knows. */
export function driverOf({ lease }: MachineView): string | null {
  if (lease === null) return null
  return lease.mine ? 'you' : lease.operator
}
