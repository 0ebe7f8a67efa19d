import type { TimelineEntry } from '../../../shared/contract/timeline.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { go, type MachineTab } from '../../app/route.ts'
import { aimAt } from '../../app/target.ts'
import { openPanel } from '../inspector/inspector.store.ts'

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
  if (kind === 'page' || kind === 'network' || kind === 'recording') links.push(inThePanel(machineId, entry))
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

/** The panel of the inspector that has it, with that message, request or film in sight. */
function inThePanel(machineId: string, { kind, what, source, at, title }: TimelineEntry): SourceLink {
  const link = (panel: string, words: string, aim: () => void): SourceLink => ({
    id: panel,
    title: words,
    open: () => {
      aim()
      openPanel(machineId, panel)
    },
  })
  const moment = { machineId, at: Date.parse(at), title }
  if (kind === 'page')
    return link('console', 'Open in Console', () => what === 'console-error' && aimAt({ tab: 'console', ...moment }))
  if (kind === 'network')
    return link('network', 'Open in Network', () => what === 'failed-request' && aimAt({ tab: 'network', ...moment }))
  if (source?.type !== 'recording') return link('recordings', 'Open in Recordings', () => {})
  return link('recordings', 'Open the recording', () => aimAt({ tab: 'recordings', machineId, id: source.id }))
}
