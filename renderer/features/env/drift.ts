import { type EnvSeen, own } from './draft.ts'

/** One machine's variables, as far as they are known. */
export interface EnvOf extends EnvSeen {
  machineId: string
  /** Which salt its fingerprints were made with; undefined for an agent that does not say. */
  saltMark?: string | undefined
  /** Whether its values are known here, or only which keys there are. */
  live: boolean
}

/** `extra`: the machine has it, and the one it is compared with does not. */
export type Drift = 'same' | 'differs' | 'missing' | 'extra' | 'unclear'

export interface DriftRow {
  key: string
  sensitive: boolean
  /** By machine; the one they are compared with is `same`, or `missing` where it lacks the key. */
  cells: Readonly<Record<string, Drift>>
  /** Whether anything in it is not `same`. */
  drifts: boolean
}

/** Every key of the machines, compared with one of them. */
export function driftOf(reference: EnvOf, others: readonly EnvOf[]): DriftRow[] {
  const machines = [reference, ...others]
  const keys = new Set(machines.flatMap(({ fingerprints }) => Object.keys(fingerprints)))
  return [...keys]
    .sort((a, b) => a.localeCompare(b, 'en'))
    .map((key) => {
      const cells = Object.fromEntries(machines.map((machine) => [machine.machineId, compare(reference, machine, key)]))
      const sensitive = machines.some(({ redactedKeys }) => redactedKeys.includes(key))
      return { key, sensitive, cells, drifts: Object.values(cells).some((cell) => cell !== 'same') }
    })
}

/** Whether fingerprints of the two say anything about each other. */
export function isComparable(a: Pick<EnvOf, 'saltMark'>, b: Pick<EnvOf, 'saltMark'>): boolean {
  return a.saltMark !== undefined && a.saltMark === b.saltMark
}

function compare(reference: EnvOf, machine: EnvOf, key: string): Drift {
  const [wanted, found] = [own(reference.fingerprints, key), own(machine.fingerprints, key)]
  if (found === undefined) return 'missing'
  if (machine.machineId === reference.machineId) return 'same'
  if (wanted === undefined) return 'extra'
  if (isComparable(reference, machine)) return wanted === found ? 'same' : 'differs'
  // Values that both machines show can be compared as they are.
  const shown = (env: EnvOf) => env.live && !env.redactedKeys.includes(key)
  if (shown(reference) && shown(machine)) return reference.vars[key] === machine.vars[key] ? 'same' : 'differs'
  return 'unclear'
}
