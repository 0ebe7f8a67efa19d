import type { KilledReason, LifecycleState } from '../../shared/domain/lifecycle.ts'
import type { MachineView, Tunnel } from '../../shared/domain/machine.ts'
import type { ProviderConfig } from '../../shared/domain/power.ts'
import type { Connection } from './open.ts'

/** What is kept of a machine between runs. */
export interface MachineRecord {
  id: string
  name: string
  environment: MachineView['environment']
  machineType: MachineView['machineType']
  tunnel: Tunnel
  /** Learned at the first meeting; a machine that later answers with another one is another machine. */
  agentId: string | null
  state: LifecycleState
  stateSince: string
  lastVerifiedAt: string | null
  verificationFailures: number
  killedAt: string | null
  killedReason: KilledReason | null
  agentVersion: string | null
  /** What the machine last said of itself, for looking at it offline. */
  snapshot: unknown
  createdAt: string
  /** What is set for its kind of machine. */
  provider: ProviderConfig | null
  /** The provider's own word for its state, as last heard. */
  powerState: string | null
  instanceType: string | null
  publicIp: string | null
  privateIp: string | null
  lastStartedAt: string | null
  lastStoppedAt: string | null
  autoStopEnabled: boolean
  idleMinutes: number
  keepUpUntil: string | null
  /** What a wake can bring back: the browser's context, its page, the image. */
  lastSandbox: LastSandbox | null
  imageTag: string | null
  /** How far this console has seen the agent's audit chain. */
  auditEntries: number
  auditHead: string | null
}

/** The browser as it was when it last ran. */
export interface LastSandbox {
  contextId: string | null
  url: string | null
  width: number
  height: number
  imageTag: string | null
}

export interface Transition {
  at: string
  from: LifecycleState
  to: LifecycleState
  reason: string
}

/** Kept as JSON. */
type Packed = 'tunnel' | 'snapshot' | 'provider' | 'lastSandbox'
type Row = Omit<MachineRecord, Packed | 'autoStopEnabled'> & {
  [Key in Packed]: string | null
} & { autoStopEnabled: number }

const columns: Record<keyof MachineRecord, string> = {
  id: 'id',
  name: 'name',
  environment: 'environment',
  machineType: 'machine_type',
  tunnel: 'tunnel',
  agentId: 'agent_id',
  state: 'state',
  stateSince: 'state_since',
  lastVerifiedAt: 'last_verified_at',
  verificationFailures: 'verification_failures',
  killedAt: 'killed_at',
  killedReason: 'killed_reason',
  agentVersion: 'agent_version',
  snapshot: 'snapshot',
  createdAt: 'created_at',
  provider: 'provider',
  powerState: 'ec2_status',
  instanceType: 'instance_type',
  publicIp: 'public_ip',
  privateIp: 'private_ip',
  lastStartedAt: 'last_started_at',
  lastStoppedAt: 'last_stopped_at',
  autoStopEnabled: 'auto_stop_enabled',
  idleMinutes: 'idle_minutes_before_stop',
  keepUpUntil: 'keep_up_until',
  lastSandbox: 'last_sandbox',
  imageTag: 'gh_image_tag',
  auditEntries: 'agent_audit_entries',
  auditHead: 'agent_audit_head',
}

/** These say the same again, to the fleet's other tools. */
const mirrored = {
  status: '@state',
  health_status: "CASE @state WHEN 'running' THEN 'healthy' WHEN 'unknown' THEN 'unknown' ELSE 'offline' END",
  last_health_check_at: '@lastVerifiedAt',
  agent_last_seen_at: '@lastVerifiedAt',
  instance_id: "json_extract(@provider, '$.instanceId')",
}

export function machinesTable(connection: Connection) {
  const names = [...Object.values(columns), ...Object.keys(mirrored)]
  const values = [...Object.keys(columns).map((key) => `@${key}`), ...Object.values(mirrored)]
  const save = connection.prepare(
    `INSERT INTO sandboxes (${names.join(', ')}) VALUES (${values.join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  )
  const selected = Object.entries(columns).map(([key, column]) => `${column} AS ${key}`)
  const all = connection.prepare(`SELECT ${selected.join(', ')} FROM sandboxes ORDER BY created_at, id`)
  const remove = connection.prepare('DELETE FROM sandboxes WHERE id = ?')
  const addTransition = connection.prepare(
    'INSERT INTO transitions (sandbox_id, at, from_state, to_state, reason) VALUES (?, ?, ?, ?, ?)',
  )
  const transitions = connection.prepare(
    'SELECT at, from_state AS "from", to_state AS "to", reason FROM transitions WHERE sandbox_id = ? ORDER BY id',
  )
  const countSince = connection.prepare('SELECT count(*) FROM transitions WHERE at >= ?').pluck()
  const longDead = connection
    // A machine that lost its browser alone still answers: it is not history yet.
    .prepare(
      `SELECT id FROM sandboxes WHERE state IN ('killed', 'expired', 'terminated') AND killed_at < ?
        AND NOT (state = 'killed' AND killed_reason = 'terminated')`,
    )
    .pluck()
  const write = (record: MachineRecord) =>
    save.run({
      ...record,
      tunnel: JSON.stringify(record.tunnel),
      snapshot: pack(record.snapshot),
      provider: pack(record.provider),
      lastSandbox: pack(record.lastSandbox),
      autoStopEnabled: record.autoStopEnabled ? 1 : 0,
    })

  return {
    all(): MachineRecord[] {
      return (all.all() as Row[]).map((row) => ({
        ...row,
        tunnel: unpack<Tunnel>(row.tunnel) ?? { kind: 'local' },
        snapshot: unpack<unknown>(row.snapshot),
        provider: unpack<ProviderConfig>(row.provider),
        lastSandbox: unpack<LastSandbox>(row.lastSandbox),
        autoStopEnabled: row.autoStopEnabled === 1,
      }))
    },
    save(record: MachineRecord): void {
      write(record)
    },
    /** The new state and how it came about are one write: neither stands without the other. */
    change: connection.transaction((record: MachineRecord, transition: Transition) => {
      write(record)
      addTransition.run(record.id, transition.at, transition.from, transition.to, transition.reason)
    }),
    transitions(id: string): Transition[] {
      return transitions.all(id) as Transition[]
    },
    transitionsSince(at: string): number {
      return Number(countSince.get(at))
    },
    /** Machines that have been gone since before that moment. */
    deadSince(at: string): string[] {
      return longDead.all(at) as string[]
    },
    remove(id: string): void {
      remove.run(id)
    },
  }
}

function pack(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value)
}

function unpack<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value)
}
