import path from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { historyEveryMs, historyKeptMs } from '../../shared/contract/metrics-history.ts'
import { openDatabase } from '../storage/database.ts'

/** One tick of the whole machine is one row; what its containers took stands in it as JSON. */
const migrations = [
  `CREATE TABLE history (
     at INTEGER PRIMARY KEY,
     cpu REAL NOT NULL, memory REAL NOT NULL, disk REAL NOT NULL, rx REAL NOT NULL, tx REAL NOT NULL,
     containers TEXT NOT NULL
   ) STRICT;`,
]

/** An hour of ticks: forgetting need not be done more often to stay bounded. */
const forgetEvery = 3_600_000 / historyEveryMs

export interface ContainerUse {
  name: string
  cpu: number | null
  memoryMb: number
}

export interface Reading {
  at: number
  cpu: number
  memory: number
  disk: number
  rx: number
  tx: number
  containers: ContainerUse[]
}

type Row = Omit<Reading, 'containers'> & { containers: string }

/** Readings of the last day. A lost one is no loss worth a sync: the disk of an idle machine may sleep. */
export class HistoryStore {
  readonly #dataDir: string
  #open: { database: DatabaseSync; insert: StatementSync; between: StatementSync } | undefined
  #sinceForgetting = 0

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  add({ at, cpu, memory, disk, rx, tx, containers }: Reading): void {
    const uses = containers.map((use) => [use.name, use.cpu, use.memoryMb])
    this.#opened().insert.run(at, cpu, memory, disk, rx, tx, JSON.stringify(uses))
    if (++this.#sinceForgetting >= forgetEvery) this.forget(at)
  }

  /** Oldest first. Rows are read one at a time: a day of many containers is not held in memory twice. */
  *between(from: number, to: number): Generator<Reading> {
    for (const row of this.#opened().between.iterate(from, to)) {
      const { containers, ...load } = row as unknown as Row
      const uses = JSON.parse(containers) as [string, number | null, number][]
      yield { ...load, containers: uses.map(([name, cpu, memoryMb]) => ({ name, cpu, memoryMb })) }
    }
  }

  /** What is older than a day goes, and so does what a clock that was ahead has left. */
  forget(now: number): void {
    this.#sinceForgetting = 0
    const { database } = this.#opened()
    database.prepare('DELETE FROM history WHERE at <= ? OR at > ?').run(now - historyKeptMs, now + historyEveryMs)
  }

  close(): void {
    this.#open?.database.close()
    this.#open = undefined
  }

  /** At the first tick, not at the start: nobody who waits for the agent waits for this. */
  #opened() {
    if (this.#open !== undefined) return this.#open
    const database = openDatabase(path.join(this.#dataDir, 'metrics.db'), migrations, false)
    // A day has a megabyte or two; what is rarely read need not stay in memory.
    database.exec('PRAGMA cache_size = -256')
    this.#open = {
      database,
      insert: database.prepare('INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?, ?, ?, ?)'),
      between: database.prepare('SELECT * FROM history WHERE at >= ? AND at < ? ORDER BY at'),
    }
    this.forget(Date.now())
    return this.#open
  }
}
