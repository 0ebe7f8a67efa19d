import { useEnv } from './env.store.ts'

/** Opens the comparison of the variables of these machines; the first is what the others are compared with. */
export function compareEnv(machineIds: readonly string[]): void {
  useEnv.setState({ comparing: [...new Set(machineIds)] })
}

export const closeCompare = () => useEnv.setState({ comparing: null })
