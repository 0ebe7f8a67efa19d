import { hash } from 'node:crypto'
import path from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { AuditEntry } from '../../shared/contract/audit.ts'
import type { AuditAction } from '../../shared/contract/audit-actions.ts'
import { Problem } from '../../shared/errors.ts'
import type { Log } from '../log.ts'
import { inTransaction, openDatabase, rows } from '../storage/database.ts'
import { migrations } from './audit.schema.ts'
import { type EntryRow, toEntry } from './entry.ts'
import { Writable } from './writable.ts'

export interface Intent {
  action: AuditAction
  operator: string | null
  peer: string
  requestId: string
  details: Record<string, unknown>
  idempotencyKey?: string | undefined
}

export interface Outcome {
  result: 'success' | 'failure' | 'error' | 'unknown'
  errorMessage?: string | undefined
  durationMs?: number | undefined
  details?: Record<string, unknown> | undefined
}

interface Row {
  seq: number
  kind: 'intent' | 'result'
  of: number | null
  time: string
  action: string | null
  operator: string | null
  idempotency_key: string | null
  payload: string
  prev: string
  hash: string
}

const genesis = '0'.repeat(64)

/**
 * The append-only record. An intent and its result are two links of one hash chain, so that a result
 * cannot be changed later either; what a reader sees as one entry is the pair.
 */
export class AuditLog {
  /** Whether it takes rows. */
  readonly writable: Writable
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #listeners = new Set<() => void>()
  readonly #log: Log
  #head: string
  #lastSeq: number

  constructor(dataDir: string, log: Log = () => {}) {
    this.#log = log
    this.#database = openDatabase(path.join(dataDir, 'audit.db'), migrations, true)
    this.writable = new Writable(() => this.#tryOut())
    this.#insert = this.#database.prepare(
      'INSERT INTO links (seq, kind, of, time, action, operator, idempotency_key, payload, prev, hash) VALUES (?,?,?,?,?,?,?,?,?,?)',
    )
    const last = rows<Row>(this.#database.prepare('SELECT * FROM links ORDER BY seq DESC LIMIT 1'))[0]
    this.#head = last?.hash ?? genesis
    this.#lastSeq = last?.seq ?? 0
    this.#closeOpenIntents()
  }

  /** Writes the intent durably, or throws: no row, no action. */
  begin(intent: Intent): number {
    const { action, operator, peer, requestId, details, idempotencyKey } = intent
    return this.#append('intent', null, { action, operator, peer, requestId, details, idempotencyKey })
  }

  /** Never throws: what was done is done, and whoever asked for it has to hear how it went. The next start closes it. */
  finish(id: number, outcome: Outcome): void {
    try {
      this.#append('result', id, { ...outcome })
    } catch (error) {
      this.#log('error', 'how something went is not in the audit log', {
        id,
        result: outcome.result,
        ...because(error),
      })
    }
  }

  /** Something the agent did of itself, such as a lease that ran out: that happens, whatever the disk says. */
  recordSystem(action: AuditAction, details: Record<string, unknown>): void {
    try {
      const id = this.begin({ action, operator: null, peer: 'agent', requestId: 'agent', details })
      this.finish(id, { result: 'success', durationMs: 0 })
    } catch (error) {
      this.#log('error', 'something the agent did of itself is not in the audit log', { action, ...because(error) })
    }
  }

  /** Whether a state-changing call with this key was begun within the time, in this run or an earlier one. */
  usedKey(idempotencyKey: string, withinMs: number): number | undefined {
    const since = new Date(Date.now() - withinMs).toISOString()
    const statement = this.#database.prepare('SELECT seq FROM links WHERE idempotency_key = ? AND time > ? LIMIT 1')
    return (statement.get(idempotencyKey, since) as { seq: number } | undefined)?.seq
  }

  list(filter: {
    page: number
    pageSize: number
    action?: string | undefined
    operator?: string | undefined
    from?: string | undefined
    to?: string | undefined
  }): { entries: AuditEntry[]; total: number } {
    const where = ["i.kind = 'intent'"]
    const values: SQLInputValue[] = []
    const add = (clause: string, value: string | undefined) => {
      if (value === undefined) return
      where.push(clause)
      values.push(value)
    }
    add('i.action = ?', filter.action)
    add('i.operator = ?', filter.operator)
    add('i.time >= ?', filter.from === undefined ? undefined : new Date(filter.from).toISOString())
    add('i.time <= ?', filter.to === undefined ? undefined : new Date(filter.to).toISOString())
    const clause = where.join(' AND ')
    const count = this.#database.prepare(`SELECT count(*) AS n FROM links i WHERE ${clause}`).get(...values)
    const found = rows<EntryRow>(
      this.#database.prepare(
        `SELECT i.seq, i.time, i.action, i.operator, i.payload AS intent, r.payload AS outcome, coalesce(r.hash, i.hash) AS hash
         FROM links i LEFT JOIN links r ON r.of = i.seq WHERE ${clause} ORDER BY i.seq DESC LIMIT ? OFFSET ?`,
      ),
      ...values,
      filter.pageSize,
      (filter.page - 1) * filter.pageSize,
    )
    return { entries: found.map(toEntry), total: (count as { n: number }).n }
  }

  /** Calls back after each link; returns what ends it. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The entries that began or ended with the next links after a number, the oldest first, and the last of those. */
  changedAfter(seq: number, links = 500): { entries: AuditEntry[]; last: number } {
    const last = Math.min(this.#lastSeq, seq + links)
    const statement = this.#database.prepare(
      `SELECT i.seq, i.time, i.action, i.operator, i.payload AS intent, r.payload AS outcome, coalesce(r.hash, i.hash) AS hash
       FROM links i LEFT JOIN links r ON r.of = i.seq
       WHERE i.seq IN (SELECT coalesce(of, seq) FROM links WHERE seq > ? AND seq <= ?) ORDER BY i.seq`,
    )
    return { entries: rows<EntryRow>(statement, seq, last).map(toEntry), last }
  }

  /** Walks the whole chain. A tail that was cut off shows in the sequence SQLite keeps beside the table. */
  verify(): { sound: boolean; entries: number; head: string; broken: { id: number; reason: string } | null } {
    let prev = genesis
    let expected = 1
    const broken = (id: number, reason: string) => ({
      sound: false,
      entries: expected - 1,
      head: prev,
      broken: { id, reason },
    })
    for (const row of this.#database.prepare('SELECT * FROM links ORDER BY seq').iterate()) {
      const link = row as unknown as Row
      if (link.seq !== expected) return broken(expected, `Link ${expected} is missing.`)
      if (link.prev !== prev) return broken(link.seq, `Link ${link.seq} does not follow the one before it.`)
      if (hashLink(link) !== link.hash) return broken(link.seq, `Link ${link.seq} was changed after it was written.`)
      prev = link.hash
      expected++
    }
    const kept = this.#database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'links'").get()
    const written = Math.max((kept as { seq: number } | undefined)?.seq ?? 0, this.#lastSeq)
    if (written >= expected) return broken(expected, `The end is cut off: ${written} links were written.`)
    return { sound: true, entries: expected - 1, head: prev, broken: null }
  }

  /** How many links there are. */
  get size(): number {
    return this.#lastSeq
  }

  get head(): string {
    return this.#head
  }

  /** The hash of one link; of none, the one every chain begins with. Null where the chain is shorter. */
  hashAt(seq: number): string | null {
    if (seq === 0) return genesis
    const row = this.#database.prepare('SELECT hash FROM links WHERE seq = ?').get(seq)
    return (row as { hash: string } | undefined)?.hash ?? null
  }

  /** What a console said of its own record the last time but one: the last is the call that asks. */
  echoBefore(consoleId: string): { entries: number; head: string; at: string } | null {
    // One that was spoilt must not keep the two from being compared.
    const found = rows<{ time: string; entries: number; head: string }>(
      this.#database.prepare(
        `SELECT time, payload ->> '$.details.console.entries' AS entries, payload ->> '$.details.console.head' AS head
         FROM links WHERE action = 'audit_echo' AND kind = 'intent'
           AND iif(json_valid(payload), payload ->> '$.details.consoleId' = ?, false) ORDER BY seq DESC LIMIT 2`,
      ),
      consoleId,
    )[1]
    return found === undefined ? null : { entries: found.entries, head: found.head, at: found.time }
  }

  close(): void {
    this.#database.close()
  }

  #append(kind: 'intent' | 'result', of: number | null, payload: Record<string, unknown>): number {
    const seq = this.#lastSeq + 1
    const time = new Date().toISOString()
    const text = JSON.stringify(payload)
    // SQLite keeps text as UTF-8, which has no halves of letters: what is hashed must be what is read back.
    const column = (key: string) => (typeof payload[key] === 'string' ? (payload[key] as string).toWellFormed() : null)
    const [action, operator, key] = [column('action'), column('operator'), column('idempotencyKey')]
    const hash = hashLink({
      seq,
      kind,
      of,
      time,
      action,
      operator,
      idempotency_key: key,
      payload: text,
      prev: this.#head,
    })
    try {
      this.#insert.run(seq, kind, of, time, action, operator, key, text, this.#head, hash)
    } catch (error) {
      this.writable.note(error)
      throw new Problem(
        'audit-unavailable',
        'The audit log could not be written, so nothing was done. Check the disk space of the agent and its data folder.',
        {},
        { cause: error },
      )
    }
    this.#head = hash
    this.#lastSeq = seq
    this.writable.note(undefined)
    for (const listener of this.#listeners) listener()
    return seq
  }

  /** A row that is taken back, and the schema's number once more: that page is on the disk when this returns. */
  #tryOut(): void {
    inTransaction(this.#database, () =>
      this.#database.exec(
        `SAVEPOINT row; INSERT INTO links (kind, time, payload, prev, hash) VALUES ('intent', '', '', '', '');
         ROLLBACK TO row; PRAGMA user_version = ${migrations.length}`,
      ),
    )
  }

  #closeOpenIntents(): void {
    const open = rows<{ seq: number }>(
      this.#database.prepare(
        "SELECT i.seq FROM links i LEFT JOIN links r ON r.of = i.seq WHERE i.kind = 'intent' AND r.seq IS NULL ORDER BY i.seq",
      ),
    )
    if (open.length === 0) return
    inTransaction(this.#database, () => {
      for (const { seq } of open) {
        this.finish(seq, { result: 'unknown', errorMessage: 'The agent ended before it could say how this went.' })
      }
    })
  }
}

function because(error: unknown): { error: string } {
  const { cause } = error as { cause?: unknown }
  return { error: String(cause ?? error) }
}

function hashLink(link: Omit<Row, 'hash'>): string {
  const { prev, seq, kind, of, time, action, operator, idempotency_key, payload } = link
  const fields = [prev, seq, kind, of, time, action, operator, idempotency_key, payload]
  return hash('sha256', JSON.stringify(fields), 'hex')
}
