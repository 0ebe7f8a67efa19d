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
  people: { title: 'People driving', has: (machine: MachineView) => machine.lease !== null },
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
  if (needsAttention(machine)) return 1
  if (machine.state === 'running' || machine.state === 'starting') return 2
  return 3
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
  // Each value is found out once: a comparison per pair would ask for it ten times over.
  const keyed = found.map((machine) => ({
    machine,
    value: sort === null ? attentionRank(machine) : sortValue(machine, sort.key),
  }))
  const down = sort?.descending === true ? -1 : 1
  keyed.sort((a, b) => compare(a.value, b.value) * down || byName.compare(a.machine.name, b.machine.name))
  return keyed.map(({ machine }) => machine)
}

function compare(a: string | number, b: string | number): number {
  if (typeof a !== 'number' || typeof b !== 'number') return byName.compare(String(a), String(b))
  return a === b ? 0 : a - b
}
