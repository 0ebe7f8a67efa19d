import path from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type TimelineEntry, timelineKinds } from '../../shared/contract/timeline.ts'
import { joined, type Patch, type Target, type TimelineBook } from '../../shared/domain/timeline/book.ts'
import { inTransaction, openDatabase, rows } from '../storage/database.ts'

/** Of each kind by itself: a page that floods its lane pushes nothing out of the others. */
const keptPerKind = 3000
const pruneEvery = 500

const migrations = [
  `CREATE TABLE entries (
     key TEXT PRIMARY KEY, kind TEXT NOT NULL, what TEXT NOT NULL, at TEXT NOT NULL, until TEXT, running INTEGER NOT NULL,
     tone TEXT NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL, who TEXT, count INTEGER NOT NULL,
     source_type TEXT, source_id TEXT, picture TEXT, revision INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX entries_by_time ON entries (at);
   CREATE INDEX entries_by_kind ON entries (kind, at);
   CREATE INDEX entries_by_what ON entries (what, at);
   CREATE INDEX entries_by_revision ON entries (revision);
   CREATE INDEX entries_running ON entries (running) WHERE running = 1;
   CREATE INDEX entries_by_picture ON entries (picture) WHERE picture IS NOT NULL;
   CREATE TABLE cursors (name TEXT PRIMARY KEY, seq INTEGER NOT NULL);`,
]

type Row = Omit<TimelineEntry, 'running' | 'source'> & {
  running: number
  source_type: string | null
  source_id: string | null
  revision: number
}

export interface TimelineQuery {
  from?: string | undefined
  to?: string | undefined
  kinds?: readonly string[] | undefined
  changedAfter?: number | undefined
  limit: number
}

/** The timeline in SQLite: entries by their key, and how far its sources have been read. */
export class TimelineStore implements TimelineBook {
  readonly #database: DatabaseSync
  readonly #put: StatementSync
  readonly #byKey: StatementSync
  #revision: number
  #sincePrune = 0

  constructor(dataDir: string) {
    this.#database = openDatabase(path.join(dataDir, 'timeline.db'), migrations, false)
    this.#put = this.#database.prepare(
      `INSERT INTO entries (key, kind, what, at, until, running, tone, title, detail, who, count, source_type, source_id, picture, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET kind = excluded.kind, what = excluded.what, at = excluded.at, until = excluded.until,
         running = excluded.running, tone = excluded.tone, title = excluded.title, detail = excluded.detail,
         who = coalesce(excluded.who, who), count = excluded.count, source_type = excluded.source_type,
         source_id = excluded.source_id, picture = coalesce(excluded.picture, picture), revision = excluded.revision`,
    )
    this.#byKey = this.#database.prepare('SELECT * FROM entries WHERE key = ?')
    const last = this.#database.prepare('SELECT max(revision) AS revision FROM entries').get()
    // Beyond any that was given out: entries with the highest may have been dropped since.
    this.#revision = Math.max((last as { revision: number | null }).revision ?? 0, this.cursor('revision') ?? 0)
  }

  get revision(): number {
    return this.#revision
  }

  put(entry: TimelineEntry): void {
    const { key, kind, what, at, until, running, tone, title, detail, who, count, source, picture } = entry
    this.#put.run(
      ...[key, kind, what, at, until, Number(running), tone, title, detail, who, count],
      ...[source?.type ?? null, source?.id ?? null, picture, ++this.#revision],
    )
    this.#sincePrune++
  }

  find(target: Target): TimelineEntry | undefined {
    if ('key' in target) return rows<Row>(this.#byKey, target.key).map(toEntry)[0]
    const clauses = ['what = ?', ...(target.running ? ['running = 1'] : [])]
    const values: SQLInputValue[] = [target.latest]
    if (target.since !== undefined) {
      clauses.push('at >= ?')
      values.push(target.since)
    }
    const query = `SELECT * FROM entries WHERE ${clauses.join(' AND ')} ORDER BY at DESC LIMIT 1`
    return rows<Row>(this.#database.prepare(query), ...values).map(toEntry)[0]
  }

  amend(target: Target, patch: Patch): void {
    const found = this.find(target)
    if (found !== undefined) this.put({ ...found, ...patch })
  }

  endRunning(at: string, note: string): void {
    const running = this.#database.prepare('SELECT * FROM entries WHERE running = 1')
    for (const open of rows<Row>(running).map(toEntry)) {
      this.put({ ...open, running: false, until: at, detail: joined(open.detail, note) })
    }
  }

  /** Newest first; one more than `limit` says that there is more. */
  list(query: TimelineQuery): { entries: TimelineEntry[]; more: boolean } {
    const clauses = ['1 = 1']
    const values: SQLInputValue[] = []
    if (query.from !== undefined) {
      const from = new Date(query.from).toISOString()
      clauses.push('(at >= ? OR until >= ? OR running = 1)')
      values.push(from, from)
    }
    if (query.to !== undefined) {
      clauses.push('at <= ?')
      values.push(new Date(query.to).toISOString())
    }
    if (query.changedAfter !== undefined) {
      clauses.push('revision > ?')
      values.push(query.changedAfter)
    }
    if (query.kinds !== undefined) {
      clauses.push(`kind IN (${query.kinds.map(() => '?').join()})`)
      values.push(...query.kinds)
    }
    const statement = this.#database.prepare(
      `SELECT * FROM entries WHERE ${clauses.join(' AND ')} ORDER BY at DESC, key DESC LIMIT ?`,
    )
    const found = rows<Row>(statement, ...values, query.limit + 1)
    return { entries: found.slice(0, query.limit).map(toEntry), more: found.length > query.limit }
  }

  /** Writes and notes how far the source was read, both or neither: a killed agent neither loses nor doubles. */
  writeFrom(name: string, seq: number, write: () => void): void {
    inTransaction(this.#database, () => {
      write()
      this.#note(name, seq)
      this.#note('revision', this.#revision)
    })
    if (this.#sincePrune >= pruneEvery) this.#prune()
  }

  /** How far a source was read; undefined when it never was. */
  cursor(name: string): number | undefined {
    const row = this.#database.prepare('SELECT seq FROM cursors WHERE name = ?').get(name)
    return (row as { seq: number } | undefined)?.seq
  }

  /** Pictures that are no longer kept are not promised any more. */
  forgetPicture(id: string): void {
    this.#database.prepare('UPDATE entries SET picture = NULL WHERE picture = ?').run(id)
  }

  close(): void {
    this.#database.close()
  }

  #note(name: string, seq: number): void {
    this.#database.prepare('INSERT OR REPLACE INTO cursors (name, seq) VALUES (?, ?)').run(name, seq)
  }

  #prune(): void {
    this.#sincePrune = 0
    const prune = this.#database.prepare(
      `DELETE FROM entries WHERE kind = ? AND at <=
         (SELECT at FROM entries WHERE kind = ? ORDER BY at DESC LIMIT 1 OFFSET ${keptPerKind})`,
    )
    for (const kind of timelineKinds) prune.run(kind, kind)
  }
}

function toEntry({ running, source_type, source_id, revision: _revision, ...rest }: Row): TimelineEntry {
  const source = source_type === null || source_id === null ? null : { type: source_type, id: source_id }
  return { ...rest, running: running === 1, source }
}
