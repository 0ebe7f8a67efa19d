import fs from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { migrations } from './migrations/index.ts'
import { takeAlong } from './take-along.ts'

export type Connection = Database.Database

export interface OpenedDatabase {
  /** For what can be heard again: never damaged by a power cut, but it may lose the last moment. */
  connection: Connection
  /** For what was promised: on the disk before a write returns. */
  durable: Connection
  /** Where a damaged file was put aside, when one was found; the store then began anew. */
  setAside: string | undefined
  /** How many machines could be taken along out of it. */
  takenAlong: number
  close(): void
}

/** Another console has this file open. Two would each believe their own memory of it. */
export class StoreInUse extends Error {
  constructor(file: string) {
    super(
      `${path.basename(file)} is in use by another Pilothouse console. Use that window, close it first, or choose another folder with PILOTHOUSE_USER_DATA.`,
    )
    this.name = 'StoreInUse'
  }
}

/** The file was written by a newer console: reading it with old rules could lose what it holds. */
export class NewerStore extends Error {
  constructor(file: string, found: number) {
    super(
      `${path.basename(file)} was written by a newer version of Pilothouse (format ${found}, this one knows ${migrations.length}). Start the newer version, or choose another folder with PILOTHOUSE_USER_DATA.`,
    )
    this.name = 'NewerStore'
  }
}

/** Opens the store and brings it up to date. A damaged file is put aside, not repaired and not deleted. */
export function openDatabase(file: string, now: () => Date = () => new Date()): OpenedDatabase {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const release = claim(file)
  try {
    const { connection, ...anew } = connectOrBeginAnew(file, now)
    const durable = open(file, 'FULL')
    const close = () => {
      durable.close()
      connection.close()
      release()
    }
    return { connection, durable, ...anew, close }
  } catch (error) {
    release()
    throw error
  }
}

function connectOrBeginAnew(file: string, now: () => Date): Omit<OpenedDatabase, 'durable' | 'close'> {
  try {
    return { connection: connect(file), setAside: undefined, takenAlong: 0 }
  } catch (error) {
    if (!isDamaged(error)) throw error
    const setAside = putAside(file, now())
    const connection = connect(file)
    return { connection, setAside, takenAlong: takeAlong(setAside, connection) }
  }
}

/** A lock of the operating system, which ends with its process however that ends. Held by SQLite, on a file of its own. */
function claim(file: string): () => void {
  const lockFile = `${file}.lock`
  fs.closeSync(fs.openSync(lockFile, 'a', 0o600))
  const lock = new Database(lockFile, { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) {
      throw new StoreInUse(file)
    }
    throw error
  }
  return () => lock.close()
}

function open(file: string, synchronous: 'NORMAL' | 'FULL'): Connection {
  const connection = new Database(file, { timeout: 5000 })
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma(`synchronous = ${synchronous}`)
    connection.pragma('foreign_keys = ON')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function connect(file: string): Connection {
  const isNew = !fs.existsSync(file)
  // Made before SQLite does, so that no other user can read it for even a moment.
  if (isNew) fs.closeSync(fs.openSync(file, 'a', 0o600))
  let connection: Connection | undefined
  try {
    connection = open(file, 'NORMAL')
    migrate(connection, file)
    // What every start needs is read once here, so that damage in it is found while it can be put aside.
    for (const table of ['sandboxes', 'settings']) connection.prepare(`SELECT * FROM ${table}`).all()
    connection.prepare('SELECT * FROM audit_chain ORDER BY seq DESC LIMIT 1').get()
    connection.prepare("SELECT id FROM sandbox_audit_logs WHERE result = 'pending'").all()
    return connection
  } catch (error) {
    connection?.close()
    throw error
  }
}

function migrate(connection: Connection, file: string): void {
  const version = () => Number(connection.pragma('user_version', { simple: true }))
  if (version() > migrations.length) throw new NewerStore(file, version())
  if (version() === migrations.length) return
  connection
    .transaction(() => {
      // Asked again inside: another process may have migrated while this one waited for the lock.
      for (let next = version(); next < migrations.length; next++) {
        connection.exec(migrations[next] ?? '')
        connection.pragma(`user_version = ${next + 1}`)
      }
    })
    .immediate()
}

function isDamaged(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')
}

function putAside(file: string, now: Date): string {
  const target = `${file}.corrupt-${now.toISOString().replace(/[:.]/g, '-')}`
  fs.renameSync(file, target)
  for (const suffix of ['-wal', '-shm']) {
    if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, target + suffix)
  }
  return target
}
