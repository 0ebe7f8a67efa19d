import type { CallResult } from '../../shared/contract/index.ts'
import { contractVersion } from '../../shared/contract/index.ts'
import type { LeaseView } from '../../shared/contract/takeover.ts'
import { type MachineView, machineView } from '../../shared/domain/machine.ts'
import type { Problem } from '../../shared/errors.ts'
import type { MachineRecord } from '../store/machines.ts'
import { linksOf } from './chain.ts'
import { compatibilityOf } from './compatibility.ts'

/** What a machine said of itself, in this run or, from the snapshot, in an earlier one. */
export interface MachineFacts
  extends Pick<
    MachineView,
    | ('hostname' | 'os' | 'capabilities' | 'browser' | 'metrics' | 'health')
    | ('viewers' | 'driver' | 'helpWanted' | 'roundTripMs')
  > {
  /** How far its clock is ahead of this computer's; null where it did not say. */
  clockAheadMs: number | null
  /** As the machine tells it, in its own time; whose it is, the console knows. */
  lease: LeaseView | null
}

const snapshotSchema = machineView.pick({ hostname: true, os: true, capabilities: true, browser: true })

const nothingKnown: MachineFacts = {
  hostname: null,
  os: null,
  capabilities: {},
  browser: null,
  metrics: null,
  health: null,
  lease: null,
  viewers: 0,
  driver: null,
  helpWanted: false,
  roundTripMs: null,
  clockAheadMs: null,
}

/** The kept snapshot, if this console still understands it. */
export function factsFromSnapshot(snapshot: unknown): MachineFacts {
  const checked = snapshotSchema.safeParse(snapshot)
  return checked.success ? { ...nothingKnown, ...checked.data } : { ...nothingKnown }
}

export function snapshotOf(facts: MachineFacts): unknown {
  const { hostname, os, capabilities, browser } = facts
  return { hostname, os, capabilities, browser }
}

export function factsFromStatus(
  status: CallResult<'machine.status'>,
): Pick<MachineFacts, 'hostname' | 'os' | 'capabilities' | 'health'> {
  const { hostname, os, capabilities, health } = status
  return { hostname, os: `${os.platform} ${os.release} ${os.arch}`, capabilities, health: health ?? null }
}

export interface ViewOf {
  record: MachineRecord
  facts: Omit<MachineFacts, 'lease'> & Pick<MachineView, 'lease'>
  connected: boolean
  heardInThisRun: boolean
  problem: Problem | undefined
  checking: string | undefined
  power: MachineView['power']
  autoStop: MachineView['autoStop']
  recreated: MachineView['recreated']
  auditWarning: string | null
}

/** A machine as a window is shown it. */
export function toView(known: ViewOf): MachineView {
  const { record, connected, heardInThisRun, problem, checking } = known
  const { clockAheadMs, ...facts } = known.facts
  const { power, autoStop, recreated, auditWarning } = known
  const isLocal = record.tunnel.kind === 'local'
  const address = addressOf(record)
  return {
    id: record.id,
    name: record.name,
    environment: record.environment,
    machineType: record.machineType,
    tunnel: record.tunnel,
    address,
    state: record.state,
    stateSince: record.stateSince,
    killedReason: record.killedReason,
    lastVerifiedAt: record.lastVerifiedAt,
    knownFrom: heardInThisRun ? 'machine' : 'cache',
    problem: problem === undefined ? null : { code: problem.code, detail: problem.message },
    agentVersion: record.agentVersion,
    imageTag: record.imageTag,
    compatibility: compatibilityOf(contractVersion, record.agentVersion),
    links: linksOf({
      state: record.state,
      tunnelDetail: address,
      isLocal,
      connected,
      problem,
      checking,
      agentVersion: record.agentVersion,
      clockAheadMs,
      ...facts,
    }),
    ...facts,
    // Of a machine that cannot be heard, nobody knows how it is or how far, who has control now, looks on, or is wanted.
    roundTripMs: connected ? facts.roundTripMs : null,
    viewers: connected ? facts.viewers : 0,
    health: connected ? facts.health : null,
    lease: connected ? facts.lease : null,
    driver: connected ? facts.driver : null,
    helpWanted: connected && facts.helpWanted,
    provider: record.provider,
    ...{ power, autoStop, recreated, auditWarning },
  }
}

function addressOf({ tunnel }: MachineRecord): string {
  switch (tunnel.kind) {
    case 'local':
      return 'this computer'
    case 'direct':
      return `${tunnel.host.includes(':') ? `[${tunnel.host}]` : tunnel.host}:${tunnel.port}`
    case 'ssh':
      return `ssh ${tunnel.user === undefined ? '' : `${tunnel.user}@`}${tunnel.host}`
    case 'tailscale':
      return `${tunnel.peer}:${tunnel.port}`
  }
}
