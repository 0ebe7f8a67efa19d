import type { AuditEntry } from '../../shared/contract/audit.ts'
import { type AuditCursor, type AuditFilter, consoleSource, type MergedEntry } from '../../shared/ipc-audit.ts'
import type { Connection } from './open.ts'

export interface KeptSource {
  machineId: string
  agentId: string
  refreshedAt: string
  complete: boolean
}

/** A search reads so many rows at most before it lets others have their turn. */
const searchedAtOnce = 20_000

interface Row extends Omit<MergedEntry, 'details'> {
  details: string
}

/** The console's own rows and those of the agents, as far as they are at hand, as one. */
export function agentAuditTable(connection: Connection) {
  const insert = connection.prepare(
    `INSERT INTO agent_audit (sandbox_id, agent_id, id, created_at, action, operator, details, result, error_message, duration_ms, hash)
     VALUES (@machineId, @agentId, @id, @createdAt, @action, @operator, @details, @result, @errorMessage, @durationMs, @hash)
     ON CONFLICT DO UPDATE SET result = excluded.result, error_message = excluded.error_message,
       duration_ms = excluded.duration_ms, details = excluded.details, hash = excluded.hash
     WHERE agent_audit.result = 'pending'`,
  )
  const note = connection.prepare(
    `INSERT INTO agent_audit_sources (sandbox_id, agent_id, refreshed_at, complete)
     VALUES (@machineId, @agentId, @refreshedAt, @complete)
     ON CONFLICT DO UPDATE SET agent_id = excluded.agent_id, refreshed_at = excluded.refreshed_at, complete = excluded.complete`,
  )
  const known = connection.prepare(
    `SELECT sandbox_id AS machineId, agent_id AS agentId, refreshed_at AS refreshedAt, complete FROM agent_audit_sources`,
  )
  const oldest = connection.prepare(
    'SELECT created_at AS at, id FROM agent_audit WHERE sandbox_id = ? AND agent_id = ? ORDER BY id LIMIT 1',
  )
  const newest = connection.prepare('SELECT max(id) FROM agent_audit WHERE sandbox_id = ? AND agent_id = ?').pluck()
  const counts = connection.prepare('SELECT sandbox_id AS machineId, count(*) AS entries FROM agent_audit GROUP BY 1')
  const own = connection.prepare('SELECT count(*) FROM sandbox_audit_logs').pluck()
  const forget = connection.prepare('DELETE FROM agent_audit WHERE sandbox_id = ? AND agent_id = ?')
  const words = (column: string, ownColumn: string) =>
    connection
      .prepare(`SELECT ${ownColumn} FROM sandbox_audit_logs UNION SELECT ${column} FROM agent_audit ORDER BY 1`)
      .pluck()
  const [actions, operators] = [words('action', 'action'), words('operator', 'user_id')]

  return {
    add: connection.transaction((machineId: string, agentId: string, entries: readonly AuditEntry[]) => {
      for (const entry of entries) {
        const { id, createdAt, action, operator, result, errorMessage, durationMs, hash } = entry
        const details = JSON.stringify(entry.details)
        insert.run({
          machineId,
          agentId,
          id,
          createdAt,
          action,
          operator,
          details,
          result,
          errorMessage,
          durationMs,
          hash,
        })
      }
    }),
    note(source: KeptSource): void {
      note.run({ ...source, complete: source.complete ? 1 : 0 })
    },
    sources(): KeptSource[] {
      const rows = known.all() as (Omit<KeptSource, 'complete'> & { complete: number })[]
      return rows.map((row) => ({ ...row, complete: row.complete === 1 }))
    },
    oldest(machineId: string, agentId: string): { at: string; id: number } | undefined {
      return oldest.get(machineId, agentId) as { at: string; id: number } | undefined
    },
    newestId(machineId: string, agentId: string): number {
      return (newest.get(machineId, agentId) as number | null) ?? 0
    },
    /** Rows with a hole above them cannot be shown as if they were whole. */
    forget(machineId: string, agentId: string): void {
      forget.run(machineId, agentId)
    },
    counts(): ReadonlyMap<string, number> {
      const rows = counts.all() as { machineId: string; entries: number }[]
      return new Map([
        [consoleSource, own.get() as number],
        ...rows.map((row) => [row.machineId, row.entries] as const),
      ])
    },
    words(): { actions: string[]; operators: string[] } {
      const texts = (found: unknown[]) =>
        found.filter((word): word is string => typeof word === 'string' && word !== '')
      return { actions: texts(actions.all()), operators: texts(operators.all()).slice(0, 500) }
    },
    /** Newest first, a page at a time. A search for text ends early when it has read enough, with the place it came to. */
    query(filter: AuditFilter, before: AuditCursor | undefined, limit: number) {
      const wanted = filter.text.trim().toLowerCase()
      const read = wanted === '' ? limit + 1 : searchedAtOnce
      const arms = [ownRows, agentRows].flatMap((arm) => arm(connection, filter, before, read))
      const rows = merge(arms)
      const entries: MergedEntry[] = []
      let seen = 0
      let last: Row | undefined
      for (const row of rows) {
        if (entries.length === limit || seen === read)
          return { entries, next: last === undefined ? null : cursorOf(last) }
        seen++
        last = row
        if (wanted === '' || textOf(row).includes(wanted))
          entries.push({ ...row, details: JSON.parse(row.details) as Record<string, unknown> })
      }
      return { entries, next: null }
    },
  }
}

const cursorOf = ({ at, source, id }: Row): AuditCursor => ({ at, source, id })
const textOf = ({ action, operator, errorMessage, details }: Row) =>
  `${action} ${operator ?? ''} ${errorMessage ?? ''} ${details}`.toLowerCase()

type Arm = (
  connection: Connection,
  filter: AuditFilter,
  before: AuditCursor | undefined,
  limit: number,
) => Iterable<Row>[]

const ownRows: Arm = (connection, filter, before, limit) => {
  const { sources } = filter
  const machines = sources.filter((source) => source !== consoleSource)
  // A machine that is chosen brings what this console did to it, too.
  const clause =
    sources.length === 0 || sources.includes(consoleSource)
      ? []
      : [{ sql: `sandbox_id IN (${machines.map(() => '?').join()})`, values: machines }]
  const select = `SELECT '${consoleSource}' AS source, id, created_at AS at, action, user_id AS operator,
    sandbox_id AS machineId, result, error_message AS errorMessage, duration_ms AS durationMs, details FROM sandbox_audit_logs`
  return [
    rowsOf(connection, select, { operator: 'user_id', source: `'${consoleSource}'` }, clause, filter, before, limit),
  ]
}

const agentRows: Arm = (connection, filter, before, limit) => {
  const machines = filter.sources.filter((source) => source !== consoleSource)
  if (filter.sources.length > 0 && machines.length === 0) return []
  const clause =
    machines.length === 0 ? [] : [{ sql: `sandbox_id IN (${machines.map(() => '?').join()})`, values: machines }]
  const select = `SELECT sandbox_id AS source, id, created_at AS at, action, operator, sandbox_id AS machineId, result,
    error_message AS errorMessage, duration_ms AS durationMs, details FROM agent_audit`
  return [rowsOf(connection, select, { operator: 'operator', source: 'sandbox_id' }, clause, filter, before, limit)]
}

interface Clause {
  sql: string
  values: readonly (string | number)[]
}

function rowsOf(
  connection: Connection,
  select: string,
  names: { operator: string; source: string },
  extra: readonly Clause[],
  filter: AuditFilter,
  before: AuditCursor | undefined,
  limit: number,
): Iterable<Row> {
  const clauses: Clause[] = [...extra]
  const oneOf = (column: string, values: readonly string[]) => {
    if (values.length > 0) clauses.push({ sql: `${column} IN (${values.map(() => '?').join()})`, values })
  }
  oneOf('action', filter.actions)
  oneOf('result', filter.results)
  if (filter.operator !== '') clauses.push({ sql: `${names.operator} = ?`, values: [filter.operator] })
  if (filter.from !== undefined) clauses.push({ sql: 'created_at >= ?', values: [filter.from] })
  if (filter.to !== undefined) clauses.push({ sql: 'created_at <= ?', values: [filter.to] })
  if (before !== undefined) {
    // The first is what the index answers; the second is exact.
    clauses.push({ sql: 'created_at <= ?', values: [before.at] })
    clauses.push({
      sql: `(created_at, ${names.source}, id) < (?, ?, ?)`,
      values: [before.at, before.source, before.id],
    })
  }
  const where = clauses.length === 0 ? '' : `WHERE ${clauses.map(({ sql }) => sql).join(' AND ')}`
  const statement = connection.prepare(
    `${select} ${where} ORDER BY created_at DESC, ${names.source} DESC, id DESC LIMIT ?`,
  )
  return statement.all(...clauses.flatMap(({ values }) => values), limit) as Row[]
}

/** Sorted lists as one sorted list. */
function* merge(arms: readonly Iterable<Row>[]): Generator<Row> {
  const heads = arms.map((arm) => {
    const rows = arm[Symbol.iterator]()
    return { rows, now: rows.next() }
  })
  for (;;) {
    const open = heads.filter(({ now }) => now.done !== true)
    if (open.length === 0) return
    const first = open.reduce((best, head) => (after(head.now.value as Row, best.now.value as Row) ? head : best))
    yield first.now.value as Row
    first.now = first.rows.next()
  }
}

const after = (a: Row, b: Row) =>
  a.at === b.at ? (a.source === b.source ? a.id > b.id : a.source > b.source) : a.at > b.at
