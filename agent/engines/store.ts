import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Attempt, EngineConfig, SwitchRecord } from '../../shared/contract/engines.ts'
import type { PastTakeover } from '../../shared/contract/takeover.ts'
import type { TrackRecord } from '../../shared/domain/cascade.ts'
import { driverName } from '../../shared/domain/switch-criteria.ts'
import { openDatabase, rows } from '../storage/database.ts'
import type { TakeoverTimes } from '../takeover/takeover.service.ts'
import type { NewSwitch } from './switching.ts'

const migrations = [
  `CREATE TABLE switches (
     id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, run TEXT, source TEXT NOT NULL, target TEXT NOT NULL,
     reason TEXT NOT NULL, ms REAL NOT NULL, success INTEGER NOT NULL, record TEXT NOT NULL
   );
   CREATE INDEX switches_by_time ON switches (time);
   CREATE TABLE operations (
     id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, run TEXT NOT NULL, driver TEXT NOT NULL,
     platform TEXT NOT NULL, kind TEXT NOT NULL, ms REAL NOT NULL, success INTEGER NOT NULL, result TEXT NOT NULL
   );
   CREATE INDEX operations_by_platform ON operations (platform, driver);
   CREATE INDEX operations_by_time ON operations (time);
   CREATE TABLE takeovers (
     id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, operator TEXT NOT NULL, request TEXT,
     outcome TEXT NOT NULL, note TEXT NOT NULL, handed_to TEXT NOT NULL,
     accepted_ms REAL, control_ms REAL, acting_ms REAL
   );
   CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
   CREATE TABLE jobs (id TEXT PRIMARY KEY, time TEXT NOT NULL, state TEXT NOT NULL, job TEXT NOT NULL);`,
  `ALTER TABLE takeovers ADD COLUMN held_ms REAL;
   CREATE INDEX takeovers_by_operator ON takeovers (operator, id);`,
]

/** What engines did, kept across restarts. */
export class EngineStore {
  readonly database: DatabaseSync

  constructor(dataDir: string) {
    this.database = openDatabase(path.join(dataDir, 'engines.db'), migrations, false)
  }

  addSwitch(made: NewSwitch): SwitchRecord {
    const time = new Date().toISOString()
    const { runId, from, to, reason, durationMs, success } = made
    const inserted = this.database
      .prepare(
        'INSERT INTO switches (time, run, source, target, reason, ms, success, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(time, runId, driverName(from), driverName(to), reason, durationMs, Number(success), JSON.stringify(made))
    return { ...made, id: Number(inserted.lastInsertRowid), time }
  }

  switches(limit: number): SwitchRecord[] {
    const query = this.database.prepare('SELECT id, time, record FROM switches ORDER BY id DESC LIMIT ?')
    return rows<{ id: number; time: string; record: string }>(query, limit).map(({ id, time, record }) => ({
      ...(JSON.parse(record) as NewSwitch),
      id,
      time,
    }))
  }

  addOperation(runId: string, kind: string, platform: string, attempt: Attempt): void {
    const success = attempt.result === 'success'
    this.database
      .prepare(
        'INSERT INTO operations (time, run, driver, platform, kind, ms, success, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        attempt.startedAt,
        runId,
        driverName(attempt),
        platform,
        kind,
        attempt.durationMs,
        Number(success),
        attempt.result,
      )
  }

  /** How each engine did on a platform. */
  trackRecords(platform: string): TrackRecord[] {
    const query = this.database.prepare(
      `SELECT driver, count(*) AS operations, sum(success) AS successes FROM operations
       WHERE platform = ? AND driver <> 'human' GROUP BY driver`,
    )
    return rows<TrackRecord>(query, platform)
  }

  /** Returns its number in the history. */
  addTakeover(times: TakeoverTimes): number {
    const { lastInsertRowid } = this.database
      .prepare(
        `INSERT INTO takeovers (time, operator, request, outcome, note, handed_to, accepted_ms, control_ms, acting_ms, held_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[new Date().toISOString(), times.operator, times.requestId, times.outcome, times.note, times.handedBackTo],
        ...[times.requestToAcceptedMs, times.acceptedToControlMs, times.handBackToActingMs, times.heldMs],
      )
    return Number(lastInsertRowid)
  }

  /** Takeovers that are over, the newest first. */
  takeovers(operator: string | undefined, limit: number): PastTakeover[] {
    const query = this.database.prepare(
      `SELECT id, time, operator, request AS requestId, outcome, note, handed_to AS handedBackTo, held_ms AS heldMs,
         accepted_ms AS requestToAcceptedMs, control_ms AS acceptedToControlMs, acting_ms AS handBackToActingMs
       FROM takeovers WHERE ? IS NULL OR operator = ? ORDER BY id DESC LIMIT ?`,
    )
    return rows<PastTakeover>(query, operator ?? null, operator ?? null, limit).map((row) => ({ ...row }))
  }

  readConfig(): unknown {
    const row = this.database.prepare("SELECT value FROM settings WHERE name = 'config'").get()
    return row === undefined ? undefined : JSON.parse((row as { value: string }).value)
  }

  writeConfig(config: EngineConfig): void {
    this.database
      .prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('config', ?)")
      .run(JSON.stringify(config))
  }

  close(): void {
    this.database.close()
  }
}
