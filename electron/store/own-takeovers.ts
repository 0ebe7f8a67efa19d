import type { PastTakeover } from '../../shared/contract/takeover.ts'
import type { Connection } from './open.ts'

export interface OwnTakeover extends PastTakeover {
  machineId: string
  /** As it was last called. */
  machineName: string
}

export interface TakenMachine {
  agentId: string
  machineId: string
  machineName: string
}

/** More than anyone looks back; of one machine less, so that none can push out the others'. */
const kept = 5000
const keptPerMachine = 500

const columns = {
  machineId: 'sandbox_id',
  machineName: 'sandbox_name',
  operator: 'operator',
  time: 'ended_at',
  requestId: 'request_id',
  outcome: 'outcome',
  note: 'note',
  handedBackTo: 'handed_back_to',
  heldMs: 'held_ms',
  requestToAcceptedMs: 'request_to_accepted_ms',
  acceptedToControlMs: 'accepted_to_control_ms',
  handBackToActingMs: 'hand_back_to_acting_ms',
} as const satisfies Record<keyof Omit<OwnTakeover, 'id'>, string>

/** What operators of this console took over, and how long each change of hand took. */
export function ownTakeoversTable(connection: Connection) {
  const keys = Object.keys(columns) as (keyof typeof columns)[]
  const names = keys.map((key) => columns[key])
  const write = connection.prepare(
    `INSERT INTO own_takeovers (agent_id, id, ${names.join(', ')})
     VALUES (@agentId, @id, ${keys.map((key) => `@${key}`).join(', ')})
     ON CONFLICT (agent_id, id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}
     WHERE ${names.map((name) => `own_takeovers.${name} IS NOT excluded.${name}`).join(' OR ')}`,
  )
  const thinMachine = connection.prepare(
    `DELETE FROM own_takeovers WHERE agent_id = @agentId AND id <=
       (SELECT id FROM own_takeovers WHERE agent_id = @agentId ORDER BY id DESC LIMIT 1 OFFSET ${keptPerMachine})`,
  )
  const thin = connection.prepare(
    `DELETE FROM own_takeovers WHERE (agent_id, id) IN
       (SELECT agent_id, id FROM own_takeovers ORDER BY ended_at DESC LIMIT -1 OFFSET ${kept})`,
  )
  const list = connection.prepare(
    `SELECT id, ${keys.map((key) => `${columns[key]} AS ${key}`).join(', ')} FROM own_takeovers
     WHERE operator = ? ORDER BY ended_at DESC LIMIT ?`,
  )
  // A machine that was added again has another id here, and one that was renamed another name.
  const move = connection.prepare(
    `UPDATE own_takeovers SET sandbox_id = @machineId, sandbox_name = @machineName
     WHERE agent_id = @agentId AND (sandbox_id <> @machineId OR sandbox_name <> @machineName)`,
  )
  const rename = connection.prepare('UPDATE own_takeovers SET sandbox_name = ? WHERE sandbox_id = ?')
  return {
    /** The same ones told again change nothing, or correct what was known. */
    save: connection.transaction((machine: TakenMachine, takeovers: readonly PastTakeover[]) => {
      move.run(machine)
      const { agentId } = machine
      const changed = takeovers.reduce((sum, one) => sum + write.run({ ...machine, ...one }).changes, 0)
      if (changed === 0) return
      thinMachine.run({ agentId })
      thin.run()
    }),
    /** Newest first. */
    last: (operator: string, count: number) => list.all(operator, count) as OwnTakeover[],
    rename(machineId: string, name: string): void {
      rename.run(name, machineId)
    },
  }
}
