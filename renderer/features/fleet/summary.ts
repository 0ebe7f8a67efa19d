import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Sort } from '../../ui/Table.tsx'
import { environmentNames, machineLook, machineTypeNames, needsAttention } from '../machine/look.ts'
import { driverOf } from './driver.ts'
import { type Chosen, isNarrowed, nothingChosen, passes } from './filters.ts'
import { healthOf } from './health.ts'
import { once } from './once.ts'

export const groups = {
  total: { title: 'Total', has: () => true },
  running: { title: 'Running', has: (machine: MachineView) => machine.state === 'running' },
  stopped: {
    title: 'Stopped',
    has: (machine: MachineView) => ['paused', 'terminated', 'expired', 'killed'].includes(machine.state),
  },
  healthy: { title: 'Healthy', has: isHealthy },
  engines: {
    title: 'Engines driving',
    has: (machine: MachineView) => machine.state === 'running' && machine.driver !== null,
  },
  attention: { title: 'Need you', has: needsAttention },
} as const
export type Group = keyof typeof groups
export const groupNames = Object.keys(groups) as Group[]

const groupsOf = once((machine) => groupNames.filter((group) => groups[group].has(machine)))

/** How many machines are in each group. */
export function countGroups(machines: readonly MachineView[]): Readonly<Record<Group, number>> {
  const counts = { total: 0, running: 0, stopped: 0, healthy: 0, engines: 0, attention: 0 }
  for (const machine of machines) for (const group of groupsOf(machine)) counts[group]++
  return counts
}

/** Running, verified in this run, with no broken link. */
export function isHealthy(machine: MachineView): boolean {
  return healthOf(machine) === 'healthy'
}

export type FleetColumn =
  | 'dot'
  | 'name'
  | 'state'
  | 'health'
  | 'driving'
  | 'env'
  | 'type'
  | 'address'
  | 'load'
  | 'image'
  | 'agent'
  | 'roundTrip'
  | 'seen'
  | 'menu'

export const sortableColumns: readonly FleetColumn[] = [
  'name',
  'state',
  'health',
  'driving',
  'env',
  'type',
  'address',
  'load',
  'image',
  'agent',
  'roundTrip',
  'seen',
]

/** What waits for a person first, then what runs, then what is off. */
const attentionRank = once((machine) => {
  if (machine.lease?.mine === true) return 0
  if (machine.helpWanted) return 1
  if (needsAttention(machine)) return 2
  if (machine.state === 'running' || machine.state === 'starting') return 3
  return 4
})

const byName = new Intl.Collator(undefined, { numeric: true })

/** Worst first. */
const healthRank = { unhealthy: 0, degraded: 1, unknown: 2, offline: 3, healthy: 4 } as const

function sortValue(machine: MachineView, column: FleetColumn): string | number {
  switch (column) {
    case 'state':
      return machineLook(machine).word
    case 'health':
      return healthRank[healthOf(machine)]
    case 'driving':
      return driverOf(machine) ?? ''
    case 'env':
      return environmentNames[machine.environment]
    case 'type':
      return machineTypeNames[machine.machineType]
    case 'address':
      return machine.address
    case 'load':
      return machine.metrics?.cpu.usagePercent ?? -1
    case 'image':
      return machine.imageTag ?? ''
    case 'agent':
      return machine.agentVersion ?? ''
    case 'roundTrip':
      return machine.roundTripMs ?? Number.POSITIVE_INFINITY
    case 'seen':
      return machine.lastVerifiedAt === null ? 0 : -Date.parse(machine.lastVerifiedAt)
    default:
      return machine.name
  }
}

/** What of the fleet is wanted, and in which order. */
export interface RowsWanted {
  query?: string
  group?: Group | null
  chosen?: Chosen
  sort?: Sort<FleetColumn> | null
}

/** What a search looks into: every key typed asks for all of them again. */
const searchText = once((machine) => {
  const { name, hostname, address, environment, imageTag, machineType } = machine
  const kind = machineTypeNames[machineType]
  return [name, hostname, address, environment, imageTag, kind, machineLook(machine).word].join(' ').toLowerCase()
})

/** The rows to show: filtered, then sorted as asked, or by what needs attention. */
export function selectRows(machines: readonly MachineView[], wanted: RowsWanted = {}): MachineView[] {
  const { query = '', group = null, chosen = nothingChosen, sort = null } = wanted
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const narrowed = isNarrowed(chosen)
  const found = machines.filter(
    (machine) =>
      (group === null || groups[group].has(machine)) &&
      (!narrowed || passes(machine, chosen)) &&
      words.every((word) => searchText(machine).includes(word)),
  )
  const ranks = nameRanks(machines)
  const names = found.map(({ id }) => ranks.get(id) ?? 0)
  // Each value is found out once: a comparison per pair would ask for it ten times over.
  const values = found.map((machine, place) => {
    if (sort === null) return attentionRank(machine)
    return sort.key === 'name' ? (names[place] ?? 0) : sortValue(machine, sort.key)
  })
  const places = inOrder(numbered(values), names, sort?.descending === true)
  return places.flatMap((place) => found[place] ?? [])
}

let ordered: { values: readonly number[]; names: readonly number[]; down: boolean; places: readonly number[] } = {
  ...{ values: [], names: [], down: false, places: [] },
}

/** The places of the values in their order. News of machines seldom change it, and are many times a second. */
function inOrder(values: readonly number[], names: readonly number[], down: boolean): readonly number[] {
  const asBefore = ordered.down === down && isSame(ordered.values, values) && isSame(ordered.names, names)
  if (asBefore) return ordered.places
  const sign = down ? -1 : 1
  const at = (list: readonly number[], place: number) => list[place] ?? 0
  const places = values
    .map((_, place) => place)
    .sort((a, b) => compare(at(values, a), at(values, b)) * sign || at(names, a) - at(names, b))
  ordered = { values, names, down, places }
  return places
}

function isSame(before: readonly number[], now: readonly number[]): boolean {
  return before.length === now.length && before.every((value, place) => value === now[place])
}

let named: { machines: readonly MachineView[]; ranks: ReadonlyMap<string, number> } = { machines: [], ranks: new Map() }

/** Where each machine stands by name. Comparing as people do is dear, and names hardly ever change. */
function nameRanks(machines: readonly MachineView[]): ReadonlyMap<string, number> {
  const before = named.machines
  const asBefore =
    before.length === machines.length &&
    machines.every((machine, place) => {
      const known = before[place]
      return machine === known || (machine.id === known?.id && machine.name === known.name)
    })
  const sorted = asBefore ? [] : [...machines].sort((a, b) => byName.compare(a.name, b.name))
  named = { machines, ranks: asBefore ? named.ranks : new Map(sorted.map(({ id }, rank) => [id, rank])) }
  return named.ranks
}

/** Words as numbers in the order of the words: each is compared with the others once, however many rows have it. */
function numbered(values: readonly (string | number)[]): number[] {
  const words = [...new Set(values.filter((value) => typeof value === 'string'))].sort(byName.compare)
  const ranks = new Map(words.map((word, rank) => [word, rank]))
  return values.map((value) => (typeof value === 'number' ? value : (ranks.get(value) ?? 0)))
}

/** Infinities, which stand for "unknown", are equal to each other. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}
