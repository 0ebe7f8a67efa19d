import path from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventData, EventType } from '../../shared/contract/index.ts'
import type { Log } from '../log.ts'
import { openDatabase, rows } from '../storage/database.ts'
import type { Publish } from './publish.ts'

/** About a day of a busy machine; older events are of no use to a console that can ask for the state. */
const keptEvents = 20_000

const migrations = [
  `CREATE TABLE events (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     time TEXT NOT NULL,
     type TEXT NOT NULL,
     data TEXT NOT NULL
   );`,
]

export interface StoredEvent {
  seq: number
  time: string
  type: string
  [key: string]: unknown
}

/** Stores each event, numbers it, and passes it on. Numbers go on after a restart. */
export class EventLog {
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #after: StatementSync
  readonly #listeners = new Set<(event: StoredEvent) => void>()
  #seq: number
  readonly #untold: StoredEvent[] = []
  #telling = false
  #sincePrune = 0
  #closed = false
  /** The last event that could not be stored; 0 while all are. */
  #lost = 0
  readonly #log: Log

  constructor(dataDir: string, log: Log = () => {}) {
    this.#log = log
    this.#database = openDatabase(path.join(dataDir, 'events.db'), migrations, false)
    this.#insert = this.#database.prepare('INSERT INTO events (seq, time, type, data) VALUES (?, ?, ?, ?)')
    this.#after = this.#database.prepare('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
    // AUTOINCREMENT keeps its own count, so that a number is not given twice even after pruning.
    const kept = this.#database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get()
    this.#seq = (kept as { seq: number } | undefined)?.seq ?? 0
  }

  readonly publish: Publish = <Type extends EventType>(type: Type, data: EventData[Type]) => {
    if (this.#closed) return
    const time = new Date().toISOString()
    this.#seq++
    this.#store(time, type, JSON.stringify(data))
    this.#untold.push({ seq: this.#seq, time, type, ...data })
    if (++this.#sincePrune >= 1000) this.#prune()
    this.#tell()
  }

  /** A disk that takes nothing must not keep what happens from happening, nor from those who listen now. */
  #store(time: string, type: string, data: string): void {
    try {
      this.#insert.run(this.#seq, time, type, data)
      if (this.#lost === 0) return
      // Whoever asks for what is missing must be told of a gap: so nothing before it is kept either.
      this.#database.prepare('DELETE FROM events WHERE seq <= ?').run(this.#lost)
      this.#lost = 0
    } catch (error) {
      if (this.#lost === 0) this.#log('error', 'events cannot be stored', { type, error: String(error) })
      this.#lost = this.#seq
    }
  }

  /** A listener may publish something itself: everyone hears that after what it answers to, never before. */
  #tell(): void {
    if (this.#telling) return
    this.#telling = true
    try {
      for (let event = this.#untold.shift(); event !== undefined; event = this.#untold.shift())
        for (const listener of this.#listeners) listener(event)
    } finally {
      this.#telling = false
    }
  }

  /** Every event from now on; returns the way to stop. */
  subscribe(listener: (event: StoredEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The next stored events after a number, at most `limit`. */
  after(seq: number, limit = 500): StoredEvent[] {
    return rows<{ seq: number; time: string; type: string; data: string }>(this.#after, seq, limit).map((row) => ({
      ...(JSON.parse(row.data) as Record<string, unknown>),
      seq: row.seq,
      time: row.time,
      type: row.type,
    }))
  }

  get lastSeq(): number {
    return this.#seq
  }

  get oldestSeq(): number {
    const row = this.#database.prepare('SELECT min(seq) AS seq FROM events').get() as { seq: number | null }
    return this.#lost === 0 ? (row.seq ?? this.#seq + 1) : this.#lost + 1
  }

  close(): void {
    this.#closed = true
    this.#listeners.clear()
    this.#database.close()
  }

  #prune(): void {
    this.#sincePrune = 0
    try {
      this.#database.prepare('DELETE FROM events WHERE seq <= ?').run(this.#seq - keptEvents)
    } catch {
      // A full disk: said when the next event cannot be stored.
    }
  }
}
