import fs from 'node:fs'
import path from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

const sqlite = loadSqlite()

/** Opens one of the agent's SQLite files and brings its schema up to date. */
export function openDatabase(file: string, migrations: readonly string[], durable: boolean): DatabaseSync {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const database = openUnprepared(file)
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'};`,
    )
  } catch (error) {
    database.close()
    throw unusable(file, error)
  }
  fs.chmodSync(file, 0o600)
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (row.user_version > migrations.length) {
    database.close()
    throw new Error(`${file} was written by a newer agent (schema ${row.user_version}). Update this agent.`)
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < row.user_version) continue
    inTransaction(database, () => {
      database.exec(migration)
      database.exec(`PRAGMA user_version = ${index + 1}`)
    })
  }
  return database
}

/** As it is, without settings and schema. */
export function openUnprepared(file: string): DatabaseSync {
  try {
    return new sqlite.DatabaseSync(file)
  } catch (error) {
    throw unusable(file, error)
  }
}

/** SQLite says what is wrong and not with which file. */
export function unusable(file: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error)
  const next = 'Look at the disk and at who may write there; a spoilt file can be moved away, with what it holds.'
  return new Error(`${file} cannot be used: ${why}. ${next}`, { cause: error })
}

export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    try {
      database.exec('ROLLBACK')
    } catch {
      // SQLite ends some by itself, on a full disk above all: what counts is why.
    }
    throw error
  }
}

/** Rows of a query with a type: SQLite has no types of its own that TypeScript could know. */
export function rows<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
  return statement.all(...values) as Row[]
}

/** Node 22 and 24 call the module experimental each time it is loaded; whoever runs an agent need not read that. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
