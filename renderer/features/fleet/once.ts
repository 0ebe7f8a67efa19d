import type { MachineView } from '../../../shared/domain/machine.ts'

/**
 * Finds something out once for each view of a machine. A view never changes, and of a thousand machines a few have
 * another one than a moment ago.
 */
export function once<Value>(find: (machine: MachineView) => Value): (machine: MachineView) => Value {
  const known = new WeakMap<MachineView, { value: Value }>()
  return (machine) => {
    const before = known.get(machine)
    if (before !== undefined) return before.value
    const value = find(machine)
    known.set(machine, { value })
    return value
  }
}
