import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Sort } from '../../ui/Table.tsx'
import { environmentNames, machineLook, machineTypeNames, needsAttention } from '../machine/look.ts'
import { driverOf } from './driver.ts'
import { type Chosen, nothingChosen, passes } from './filters.ts'
import { healthOf } from './health.ts'

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
function attentionRank(machine: MachineView): number {
  if (machine.lease?.mine === true) return 0
  if (machine.helpWanted) return 1
  if (needsAttention(machine)) return 2
  if (machine.state === 'running' || machine.state === 'starting') return 3
  return 4
}

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

/** What a search looks into; kept per view of a machine, because every key typed asks for all of them again. */
const searched = new WeakMap<MachineView, string>()

function searchText(machine: MachineView): string {
  const known = searched.get(machine)
  if (known !== undefined) return known
  const { name, hostname, address, environment, imageTag, machineType } = machine
  const words = [
    name,
    hostname,
    address,
    environment,
    imageTag,
    machineTypeNames[machineType],
    machineLook(machine).word,
  ]
  const text = words.join(' ').toLowerCase()
  searched.set(machine, text)
  return text
}

/** The rows to show: filtered, then sorted as asked, or by what needs attention. */
export function selectRows(machines: readonly MachineView[], wanted: RowsWanted = {}): MachineView[] {
  const { query = '', group = null, chosen = nothingChosen, sort = null } = wanted
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const found = machines.filter(
    (machine) =>
      (group === null || groups[group].has(machine)) &&
      passes(machine, chosen) &&
      words.every((word) => searchText(machine).includes(word)),
  )
  const ranks = nameRanks(machines)
  const nameRank = ({ id }: MachineView) => ranks.get(id) ?? 0
  // Each value is found out once: a comparison per pair would ask for it ten times over.
  const values = found.map((machine) => {
    if (sort === null) return attentionRank(machine)
    return sort.key === 'name' ? nameRank(machine) : sortValue(machine, sort.key)
  })
  const order = numbered(values)
  const keyed = found.map((machine, place) => ({ machine, value: order[place] ?? 0, name: nameRank(machine) }))
  const down = sort?.descending === true ? -1 : 1
  keyed.sort((a, b) => compare(a.value, b.value) * down || a.name - b.name)
  return keyed.map(({ machine }) => machine)
}

let named: { names: ReadonlyMap<string, string>; ranks: ReadonlyMap<string, number> } = {
  names: new Map(),
  ranks: new Map(),
}

/** Where each machine stands by name. Comparing as people do is dear, and names hardly ever change. */
function nameRanks(machines: readonly MachineView[]): ReadonlyMap<string, number> {
  const { names } = named
  const asBefore = names.size === machines.length && machines.every(({ id, name }) => names.get(id) === name)
  if (asBefore) return named.ranks
  const sorted = [...machines].sort((a, b) => byName.compare(a.name, b.name))
  named = {
    names: new Map(machines.map(({ id, name }) => [id, name])),
    ranks: new Map(sorted.map(({ id }, rank) => [id, rank])),
  }
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
