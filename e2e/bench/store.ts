import path from 'node:path'
import Database from 'better-sqlite3'
import { hashLink } from '../../electron/store/audit-chain.ts'
import { openStore } from '../../electron/store/store.ts'
import { freshFolder } from '../rigs/folder.ts'
import type { Bench, Sides } from './bench.ts'
import { cacheFleet } from './cached-fleet.ts'
import { atMost } from './target.ts'

const machines = 200
const auditRows = 1_000_000

/** A year of two hundred machines: each tier of load as full as it gets, and a million chained audit rows. */
function fill(file: string): void {
  cacheFleet(path.dirname(file), machines)
  const database = new Database(file)
  database.pragma('synchronous = OFF')
  const minute = 60_000
  const day = 24 * 60 * minute
  const now = Date.now()
  const tiers = [
    ['metrics_raw', minute / 2, day],
    ['metrics_5min', 5 * minute, 14 * day],
    ['metrics_hourly', 60 * minute, 365 * day],
  ] as const
  for (const [table, every, kept] of tiers) {
    database
      .prepare(
        `WITH RECURSIVE step (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < ${kept / every - 1})
         INSERT INTO ${table} SELECT id, ${now - kept} + n * ${every}, n % 100, 50, 50, 1000, 1000 FROM sandboxes, step`,
      )
      .run()
  }
  const row = database.prepare(
    `INSERT INTO sandbox_audit_logs (sandbox_id, user_id, action, details, result, duration_ms, created_at)
     VALUES (?, 'ada', 'health_check', '{"reason":"routine"}', 'success', 12, ?)`,
  )
  const link = database.prepare('INSERT INTO audit_chain VALUES (?, ?, ?, ?, ?, ?, ?)')
  const at = new Date(now).toISOString()
  let prev = '0'.repeat(64)
  database.transaction(() => {
    for (let id = 1; id <= auditRows; id++) {
      row.run(`machine-${id % machines}`, at)
      const made = { seq: id, kind: 'intent', row: id, at, payload: '{}', prev } as const
      const hash = hashLink(made)
      link.run(id, made.kind, id, at, made.payload, prev, hash)
      prev = hash
    }
  })()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

let filled: { file: string; remove: () => void } | undefined

function yearFile(): string {
  if (filled === undefined) {
    const { folder, remove } = freshFolder('store')
    filled = { file: path.join(folder, 'console.db'), remove }
    fill(filled.file)
    process.once('exit', remove)
  }
  return filled.file
}

async function timed(act: () => void): Promise<number> {
  const began = performance.now()
  act()
  return performance.now() - began
}

export const storeOpen: Bench = {
  name: 'store.open',
  unit: 'ms',
  against: 'opening a store with nothing in it',
  target: atMost(300, 'ms'),
  runs: 9,
  warmups: 1,
  async open(): Promise<Sides> {
    const year = yearFile()
    const { folder, remove } = freshFolder('store-empty')
    const empty = path.join(folder, 'console.db')
    openStore(empty).close()
    const opening = async (file: string) => {
      let close = () => {}
      const ms = await timed(() => {
        const store = openStore(file)
        store.machines.all()
        close = () => store.close()
      })
      close()
      return ms
    }
    return { ours: () => opening(year), yardstick: () => opening(empty), close: async () => remove() }
  },
}

export const storeLast50: Bench = {
  name: 'store.last50',
  unit: 'ms',
  against: 'the same rows by one prepared statement of better-sqlite3',
  target: atMost(1, 'ms'),
  runs: 51,
  warmups: 3,
  async open(): Promise<Sides> {
    const store = openStore(yearFile())
    const bare = store.connection.prepare('SELECT * FROM sandbox_audit_logs ORDER BY id DESC LIMIT 50')
    return {
      ours: () => timed(() => store.audit.last(50)),
      yardstick: () => timed(() => bare.all()),
      close: async () => store.close(),
    }
  },
}
