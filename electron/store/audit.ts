import { Problem } from '../../shared/errors.ts'
import { AuditChain, type ChainLink, type ChainVerdict } from './audit-chain.ts'
import type { Connection } from './open.ts'

export interface AuditIntent {
  sandboxId: string | null
  operator: string
  action: string
  /** Never a secret: whoever writes chooses what goes in. */
  details: Record<string, unknown>
  createdAt: string
}

export interface AuditOutcome {
  result: 'success' | 'failure' | 'error' | 'unknown'
  errorMessage: string | null
  durationMs: number
  at: string
}

/** What this console was told to do: the operator's own record, beside the agents' own ones. */
export interface ConsoleAuditEntry extends Omit<AuditIntent, 'details'> {
  id: number
  details: Record<string, unknown>
  result: AuditOutcome['result'] | 'pending'
  errorMessage: string | null
  durationMs: number | null
}

export interface AuditFilter {
  sandboxId?: string | undefined
  action?: string | undefined
  from?: string | undefined
  to?: string | undefined
  limit: number
  /** Only rows before this id: the next page. */
  before?: number | undefined
}

type Row = Omit<ConsoleAuditEntry, 'details'> & { details: string }

const selected = `SELECT id, sandbox_id AS sandboxId, user_id AS operator, action, details, result,
  error_message AS errorMessage, duration_ms AS durationMs, created_at AS createdAt FROM sandbox_audit_logs`

/** The console's audit. Its connection writes each row to the disk before it answers. */
export function auditTable(connection: Connection) {
  const chain = new AuditChain(connection)
  const insert = connection.prepare(
    `INSERT INTO sandbox_audit_logs (sandbox_id, user_id, action, details, result, created_at)
     VALUES (@sandboxId, @operator, @action, @details, 'pending', @createdAt)`,
  )
  const close = connection.prepare(
    'UPDATE sandbox_audit_logs SET result = @result, error_message = @errorMessage, duration_ms = @durationMs WHERE id = @id',
  )
  const last = connection.prepare(`${selected} ORDER BY id DESC LIMIT ?`)
  const one = connection.prepare(`${selected} WHERE id = ?`)
  // Rows from before the chain began stand outside of it; none after.
  const withoutLink = connection
    .prepare(
      `SELECT id FROM sandbox_audit_logs
       WHERE id >= (SELECT min(row) FROM audit_chain WHERE kind = 'intent')
         AND (id NOT IN (SELECT row FROM audit_chain WHERE kind = 'intent')
           OR (result <> 'pending' AND id NOT IN (SELECT row FROM audit_chain WHERE kind = 'result')))
       ORDER BY id LIMIT 1`,
    )
    .pluck()

  const begin = connection.transaction((given: AuditIntent): number => {
    const intent = { ...given, operator: whole(given.operator), sandboxId: whole(given.sandboxId) }
    const details = JSON.stringify(intent.details)
    const id = Number(insert.run({ ...intent, details }).lastInsertRowid)
    chain.append('intent', id, intent.createdAt, { ...intent, details })
    return id
  })
  const finish = connection.transaction((id: number, outcome: AuditOutcome): void => {
    const { result, at } = outcome
    const errorMessage = whole(outcome.errorMessage)
    const durationMs = Math.round(outcome.durationMs)
    close.run({ id, result, errorMessage, durationMs })
    chain.append('result', id, at, { result, errorMessage, durationMs })
  })
  const table = {
    /** On the disk when this returns; a call that cannot be recorded is not made. */
    begin(intent: AuditIntent): number {
      try {
        return begin(intent)
      } catch (error) {
        const detail = 'The audit could not be written, so nothing was done. Check the disk space of this computer.'
        throw new Problem('audit-unavailable', detail, {}, { cause: error })
      }
    },
    finish(id: number, outcome: AuditOutcome): void {
      finish(id, outcome)
    },
    /** Something the console decided by itself. */
    record(intent: AuditIntent, outcome: Omit<AuditOutcome, 'at'>): void {
      finish(table.begin(intent), { ...outcome, at: intent.createdAt })
    },
    last(count: number): ConsoleAuditEntry[] {
      return (last.all(count) as Row[]).map(toEntry)
    },
    list(filter: AuditFilter): ConsoleAuditEntry[] {
      const where: string[] = []
      const values: (string | number)[] = []
      const add = (clause: string, value: string | number | undefined) => {
        if (value === undefined) return
        where.push(clause)
        values.push(value)
      }
      add('sandbox_id = ?', filter.sandboxId)
      add('action = ?', filter.action)
      add('created_at >= ?', filter.from)
      add('created_at <= ?', filter.to)
      add('id < ?', filter.before)
      const clause = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
      const statement = connection.prepare(`${selected}${clause} ORDER BY id DESC LIMIT ?`)
      return (statement.all(...values, filter.limit) as Row[]).map(toEntry)
    },
    verify(): ChainVerdict {
      const verdict = chain.verify((link) => mismatch(link, one.get(link.row) as Row | undefined))
      const id = verdict.sound ? (withoutLink.get() as number | undefined) : undefined
      if (id === undefined) return verdict
      return { ...verdict, sound: false, broken: { id, reason: `Entry ${id}, or its result, is not in the chain.` } }
    },
    hashAt: (seq: number) => chain.hashAt(seq),
    get head(): { entries: number; head: string } {
      return { entries: chain.entries, head: chain.head }
    },
  }
  closeOpenIntents(connection, table.finish)
  return table
}

/**
 * SQLite keeps text as UTF-8, which has no halves of letters; an agent may send some in what it says went wrong. The
 * chain must say what the row says when it is read back.
 */
function whole<Text extends string | null>(text: Text): Text {
  return (text === null ? text : text.toWellFormed()) as Text
}

/** A console that was killed could not say how it went. */
function closeOpenIntents(connection: Connection, finish: (id: number, outcome: AuditOutcome) => void): void {
  const open = connection.prepare("SELECT id FROM sandbox_audit_logs WHERE result = 'pending' ORDER BY id").pluck()
  const at = new Date().toISOString()
  for (const id of open.all() as number[]) {
    const errorMessage = 'The console ended before it could say how this went.'
    finish(id, { result: 'unknown', errorMessage, durationMs: 0, at })
  }
}

function mismatch(link: ChainLink, row: Row | undefined): string | undefined {
  if (row === undefined) return `Entry ${link.row} was deleted.`
  const said = JSON.parse(link.payload) as Record<string, unknown>
  const changed = Object.keys(said).find((key) => said[key] !== (row as unknown as Record<string, unknown>)[key])
  return changed === undefined ? undefined : `Entry ${link.row} was changed after it was written (${changed}).`
}

function toEntry(row: Row): ConsoleAuditEntry {
  return { ...row, details: JSON.parse(row.details) as Record<string, unknown> }
}
