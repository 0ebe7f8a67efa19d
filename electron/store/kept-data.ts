import fs from 'node:fs'
import Database from 'better-sqlite3'
import type { DataPart, DataSizes } from '../../shared/ipc-settings.ts'
import type { Connection } from './open.ts'

/** The tables behind each part; what a table's indexes take up counts with it. */
const tablesOf: Record<Exclude<DataPart, 'log-files' | 'pictures'>, readonly string[]> = {
  answers: ['last_answers'],
  history: ['transitions', 'events', 'metrics_raw', 'metrics_5min', 'metrics_hourly'],
  logs: ['seen_logs'],
  'audit-copies': ['agent_audit', 'agent_audit_sources'],
  takeovers: ['own_takeovers'],
  deploys: ['rollout_steps', 'rollouts', 'sandbox_deploy_history'],
}

/** What is still under way must be found again after the next start: only what has ended is history. */
const ended: Record<string, string> = {
  rollout_steps: 'rollout_id IN (SELECT id FROM rollouts WHERE ended_at IS NOT NULL)',
  rollouts: 'ended_at IS NOT NULL',
  // A machine that is through keeps its row while the deploy that it belongs to is open: it may be tried again.
  sandbox_deploy_history: `status NOT IN ('pending', 'deploying') AND NOT EXISTS (SELECT 1 FROM rollouts
    WHERE rollouts.ended_at IS NULL AND rollouts.id = json_extract(sandbox_deploy_history.metadata, '$.rolloutId'))`,
}

type TablePart = keyof typeof tablesOf
const tableParts = Object.keys(tablesOf) as TablePart[]

/** What the store holds and takes up, and how it is let go of. */
export function keptData(connection: Connection, file: string) {
  const count = (table: string) =>
    Number(
      connection
        .prepare(`SELECT count(*) FROM ${table} WHERE ${ended[table] ?? '1'}`)
        .pluck()
        .get(),
    )
  return {
    sizes(): Omit<DataSizes, 'file'> {
      const taken = bytesByTable(connection)
      const bytesOf = (tables: readonly string[]) => tables.reduce((sum, table) => sum + (taken.get(table) ?? 0), 0)
      return {
        bytes: ['', '-wal'].reduce((sum, end) => sum + sizeOf(`${file}${end}`), 0),
        auditBytes: bytesOf(['sandbox_audit_logs', 'audit_chain']),
        machines: count('sandboxes'),
        parts: tableParts.map((part) => ({
          part,
          rows: tablesOf[part].reduce((sum, table) => sum + count(table), 0),
          bytes: bytesOf(tablesOf[part]),
        })),
      }
    },
    clear(parts: readonly DataPart[]): void {
      connection.transaction(() => {
        for (const part of tableParts.filter((one) => parts.includes(one)))
          for (const table of tablesOf[part]) clearTable(connection, table)
      })()
      // The room is given back at once: it is what a person cleared it for.
      connection.exec('VACUUM')
      connection.pragma('wal_checkpoint(TRUNCATE)')
    },
  }
}

/**
 * Every row of every table as of one moment. On a connection of its own: one that is being read row by row can do
 * nothing else. There is no secret among them: there is no column for one.
 */
export function* allRows(file: string): Generator<{ table: string; row: Record<string, unknown> }> {
  const connection = new Database(file, { readonly: true })
  try {
    connection.exec('BEGIN')
    for (const table of tableNames(connection))
      for (const row of connection.prepare(`SELECT * FROM ${table}`).iterate())
        yield { table, row: row as Record<string, unknown> }
  } finally {
    connection.close()
  }
}

function clearTable(connection: Connection, table: string): void {
  // A way back may point to an older row of the same table, which goes too.
  if (table === 'sandbox_deploy_history')
    connection.exec('UPDATE sandbox_deploy_history SET rollback_of = NULL WHERE rollback_of IS NOT NULL')
  connection.exec(`DELETE FROM ${table} WHERE ${ended[table] ?? '1'}`)
}

function tableNames(connection: Connection): string[] {
  const names = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all()
  return (names as string[]).filter((name) => !name.startsWith('sqlite_'))
}

function bytesByTable(connection: Connection): Map<string, number> {
  const rows = connection
    .prepare(
      `SELECT coalesce(m.tbl_name, d.name) AS name, sum(d.pgsize) AS bytes
       FROM dbstat d LEFT JOIN sqlite_master m ON m.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`,
    )
    .all() as { name: string; bytes: number }[]
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
