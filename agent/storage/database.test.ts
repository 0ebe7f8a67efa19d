import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import { inTransaction, openDatabase } from './database.ts'

let folder: string
let remove: () => void
beforeEach(() => {
  ;({ folder, remove } = freshFolder('database'))
})
afterEach(() => remove())
const file = () => path.join(folder, 'inside', 'a.db')
const table = 'CREATE TABLE t (n INTEGER)'

test('what must survive a power cut is synced before it is acknowledged; the rest need not be', () => {
  // 2 is FULL, 1 is NORMAL.
  for (const [durable, synchronous] of [
    [true, 2],
    [false, 1],
  ] as const) {
    const database = openDatabase(path.join(folder, `${durable}.db`), [table], durable)
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous })
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    database.close()
  }
})

test('nobody else reads it', () => {
  openDatabase(file(), [table], true).close()
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(statSync(path.dirname(file())).mode & 0o777).toBe(0o700)
})

test('a schema is brought up to date once, and one from the future is not touched', () => {
  openDatabase(file(), [table], true).close()
  const newer = openDatabase(file(), [table, 'ALTER TABLE t ADD COLUMN m INTEGER'], true)
  newer.exec('INSERT INTO t (n, m) VALUES (1, 2)')
  newer.close()
  expect(() => openDatabase(file(), [table], true)).toThrow('written by a newer agent (schema 2)')
  const plain = new DatabaseSync(file())
  expect(plain.prepare('SELECT * FROM t').get()).toEqual({ n: 1, m: 2 })
  plain.close()
})

test('a migration that fails leaves nothing of itself behind', () => {
  openDatabase(file(), [table], true).close()
  const broken = 'CREATE TABLE half (n INTEGER); CREATE TABLE t (n INTEGER)'
  expect(() => openDatabase(file(), [table, broken], true)).toThrow()
  const database = openDatabase(file(), [table], true)
  expect(database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'half'").get()).toEqual({ n: 0 })
  expect(() =>
    inTransaction(database, () => {
      database.exec('INSERT INTO t VALUES (1)')
      throw new Error('in the middle')
    }),
  ).toThrow('in the middle')
  expect(database.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 })
  database.close()
})

test('a transaction that SQLite ends by itself, as on a full disk, fails for its own reason', () => {
  const database = openDatabase(file(), ['CREATE TABLE t (n INTEGER PRIMARY KEY)'], true)
  database.exec('INSERT INTO t VALUES (1)')
  expect(() => inTransaction(database, () => database.exec('INSERT OR ROLLBACK INTO t VALUES (2), (1)'))).toThrow(
    'UNIQUE constraint failed',
  )
  expect(inTransaction(database, () => database.prepare('SELECT count(*) AS n FROM t').get())).toEqual({ n: 1 })
  database.close()
})

test('a file that is none of SQLite is named, with what to do', () => {
  writeFileSync(path.join(folder, 'b.db'), 'not a database, and longer than its header would be'.repeat(20))
  expect(() => openDatabase(path.join(folder, 'b.db'), [table], true)).toThrow(/b\.db cannot be used: .*moved away/)
})
