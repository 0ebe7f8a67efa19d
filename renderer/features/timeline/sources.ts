import type { TimelineEntry } from '../../../shared/contract/timeline.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { go, type MachineTab, parseRoute } from '../../app/route.ts'
import { aimAt } from '../../app/target.ts'

export interface SourceLink {
  id: string
  title: string
  open: () => void
}

/** Where more is known of an entry, the likeliest first. Enter opens the first. */
export function sourcesOf(machine: MachineView, entry: TimelineEntry): SourceLink[] {
  const machineId = machine.id
  const tab = (id: string, title: string, to: MachineTab): SourceLink => ({
    id,
    title: `Open in ${title}`,
    open: () => go({ screen: 'machine', machineId, tab: to }),
  })
  const links: SourceLink[] = []
  const { source, kind, what } = entry
  if (source?.type === 'deploy') {
    const open = () => {
      aimAt({ tab: 'deploys', machineId, id: source.id })
      go({ screen: 'machine', machineId, tab: 'deploys' })
    }
    links.push({ id: 'deploys', title: 'Open the deploy', open })
  }
  if (source?.type === 'audit') {
    const open = () => {
      aimAt({ tab: 'audit', machineId, id: source.id, at: entry.at })
      go({ screen: 'machine', machineId, tab: 'audit' })
    }
    links.push({ id: 'audit', title: 'Open the audit entry', open })
  }
  if (what.endsWith('_env')) links.push(tab('env', 'Env', 'env'))
  if (what.startsWith('terminal')) links.push(tab('terminal', 'Terminal', 'terminal'))
  if (kind === 'workers') links.push(tab('workers', 'Workers', 'workers'))
  if (kind === 'page' || kind === 'network' || kind === 'recording') links.push(inspector(machineId))
  if (kind === 'takeover' && entry.running && source?.type === 'request')
    links.push({ id: 'takeovers', title: 'Open in Takeovers', open: () => go({ screen: 'takeovers' }) })
  if (kind === 'engine' || kind === 'takeover' || kind === 'browser') links.push(tab('live', 'Live', 'live'))
  links.push({
    id: 'logs',
    title: 'Logs at that time',
    open: () => {
      aimAt({ tab: 'logs', machineId, time: Date.parse(entry.at) })
      go({ screen: 'machine', machineId, tab: 'logs' })
    },
  })
  return links
}

/** The inspector where this console has one; a route it does not know is the live view. */
function inspector(machineId: string): SourceLink {
  const route = parseRoute(`#/machine/${encodeURIComponent(machineId)}/inspector`)
  const known = route.screen === 'machine' && route.tab !== 'live'
  return { id: 'inspector', title: known ? 'Open in Inspector' : 'Open in Live', open: () => go(route) }
}
