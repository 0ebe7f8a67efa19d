import type { MachineView } from '../../../shared/domain/machine.ts'
import { environmentNames, machineTypeNames } from '../machine/look.ts'
import { type Health, healthLooks, healthOf } from './health.ts'

/** What the fleet can be narrowed down to. Values that a machine has none of (no EC2) match nothing chosen. */
interface Filter {
  title: string
  /** In the order in which they are offered. */
  options: Readonly<Record<string, string>>
  of: (machine: MachineView) => string | null
}

const states: Record<MachineView['state'], string> = {
  running: 'Running',
  starting: 'Starting',
  paused: 'Paused',
  terminated: 'Stopped',
  killed: 'Killed',
  expired: 'Expired',
  unknown: 'Unknown',
}

const ec2States: Record<MachineView['power']['state'], string> = {
  running: 'Running',
  starting: 'Starting',
  stopping: 'Stopping',
  stopped: 'Stopped',
  terminated: 'Terminated',
  unknown: 'Unknown',
}

export const filters = {
  environment: { title: 'Environment', options: environmentNames, of: ({ environment }) => environment },
  status: { title: 'Status', options: states, of: ({ state }) => state },
  health: {
    title: 'Health',
    options: Object.fromEntries(Object.entries(healthLooks).map(([key, { word }]) => [key, word])),
    of: (machine): Health => healthOf(machine),
  },
  ec2: {
    title: 'EC2',
    options: ec2States,
    of: ({ machineType, power }) => (machineType === 'ec2' ? power.state : null),
  },
  machine: { title: 'Machine', options: machineTypeNames, of: ({ machineType }) => machineType },
} as const satisfies Record<string, Filter>

export type FilterName = keyof typeof filters
export const filterNames = Object.keys(filters) as FilterName[]
export type Chosen = Readonly<Record<FilterName, readonly string[]>>

export const nothingChosen: Chosen = { environment: [], status: [], health: [], ec2: [], machine: [] }

/** Within one filter any of the chosen, across filters all of them. */
export function passes(machine: MachineView, chosen: Chosen, except?: FilterName): boolean {
  return filterNames.every((name) => {
    const wanted = chosen[name]
    if (wanted.length === 0 || name === except) return true
    const value = filters[name].of(machine)
    return value !== null && wanted.includes(value)
  })
}

export const isNarrowed = (chosen: Chosen) => filterNames.some((name) => chosen[name].length > 0)

/** How many machines each option would leave, given what is chosen in the other filters. */
export function countOptions(
  machines: readonly MachineView[],
  chosen: Chosen,
  name: FilterName,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const machine of machines) {
    const value = filters[name].of(machine)
    if (value !== null && passes(machine, chosen, name)) counts[value] = (counts[value] ?? 0) + 1
  }
  return counts
}

/** What was chosen last time, as far as it still means something. */
export function readChosen(kept: unknown): Chosen {
  const given = typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {}
  return Object.fromEntries(
    filterNames.map((name) => {
      const values = given[name]
      const known = Array.isArray(values) ? values.filter((value) => Object.hasOwn(filters[name].options, value)) : []
      return [name, known]
    }),
  ) as unknown as Chosen
}
