import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Sort } from '../../ui/Table.tsx'
import { environmentNames, machineLook, machineTypeNames, needsAttention } from '../machine/look.ts'

export const groups = {
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
  return (
    machine.state === 'running' &&
    machine.knownFrom === 'machine' &&
    machine.problem === null &&
    Object.values(machine.links).every((link) => link.state !== 'down')
  )
}

export type FleetColumn =
  | 'dot'
  | 'name'
  | 'state'
  | 'driving'
  | 'env'
  | 'type'
  | 'address'
  | 'load'
  | 'agent'
  | 'roundTrip'
  | 'seen'
  | 'menu'

/** What waits for a person first, then what runs, then what is off. */
function attentionRank(machine: MachineView): number {
  if (machine.lease?.mine === true) return 0
  if (needsAttention(machine)) return 1
  if (machine.state === 'running' || machine.state === 'starting') return 2
  return 3
}

const byName = new Intl.Collator(undefined, { numeric: true })

function sortValue(machine: MachineView, column: FleetColumn): string | number {
  switch (column) {
    case 'state':
      return machineLook(machine).word
    case 'driving':
      return machine.lease?.operator ?? ''
    case 'env':
      return environmentNames[machine.environment]
    case 'type':
      return machineTypeNames[machine.machineType]
    case 'address':
      return machine.address
    case 'load':
      return machine.metrics?.cpu.usagePercent ?? -1
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

/** The rows to show: filtered, then sorted as asked, or by what needs attention. */
export function selectRows(
  machines: readonly MachineView[],
  query: string,
  group: Group | null,
  sort: Sort<FleetColumn> | null,
): MachineView[] {
  const found = machines.filter((machine) => {
    if (group !== null && !groups[group].has(machine)) return false
    if (query.trim() === '') return true
    const text = `${machine.name} ${machine.hostname ?? ''} ${machine.address} ${machine.environment} ${machineLook(machine).word}`
    return query
      .trim()
      .split(/\s+/)
      .every((word) => text.toLowerCase().includes(word.toLowerCase()))
  })
  const names = (a: MachineView, b: MachineView) => byName.compare(a.name, b.name)
  if (sort === null) return found.sort((a, b) => attentionRank(a) - attentionRank(b) || names(a, b))
  return found.sort((a, b) => {
    const [left, right] = [sortValue(a, sort.key), sortValue(b, sort.key)]
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left === right
          ? 0
          : left - right
        : byName.compare(String(left), String(right))
    return (sort.descending ? -order : order) || names(a, b)
  })
}
