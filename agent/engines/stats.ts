import type { DatabaseSync } from 'node:sqlite'
import type { CallResult } from '../../shared/contract/index.ts'
import { rows } from '../storage/database.ts'

type Stats = Omit<CallResult<'engine.stats'>, 'orders'>

/** How the engines did, by SQL over everything that is kept. */
export function readStats(database: DatabaseSync, since: string | undefined): Stats {
  // As times are stored, so that they compare as texts.
  const from = since === undefined ? '' : new Date(since).toISOString()
  const engines = rows<{
    driver: string
    platform: string
    operations: number
    rate: number
    mean: number
    p95: number
  }>(
    database.prepare(
      `WITH ranked AS (
         SELECT driver, platform, ms, success,
           row_number() OVER (PARTITION BY driver, platform ORDER BY ms) AS place,
           count(*) OVER (PARTITION BY driver, platform) AS total
         FROM operations WHERE time >= ?)
       SELECT driver, platform, count(*) AS operations, avg(success) AS rate, avg(ms) AS mean,
         min(CASE WHEN place >= 0.95 * total THEN ms END) AS p95
       FROM ranked GROUP BY driver, platform ORDER BY platform, driver`,
    ),
    from,
  )
  const switches = rows<{ source: string; target: string; count: number; failed: number; mean: number }>(
    database.prepare(
      `SELECT source, target, count(*) AS count, sum(1 - success) AS failed, avg(ms) AS mean
       FROM switches WHERE time >= ? GROUP BY source, target ORDER BY source, target`,
    ),
    from,
  )
  const runs = database.prepare('SELECT count(DISTINCT run) AS count FROM operations WHERE time >= ?').get(from)
  const reasons = rows<{ reason: string; count: number }>(
    database.prepare(
      `SELECT reason, count(*) AS count FROM switches WHERE time >= ? AND run IS NOT NULL
       GROUP BY reason ORDER BY count DESC, reason`,
    ),
    from,
  )
  const takeovers = database
    .prepare(
      `SELECT count(*) AS count, avg(accepted_ms) AS accepted, avg(control_ms) AS control, avg(acting_ms) AS acting
       FROM takeovers WHERE time >= ?`,
    )
    .get(from) as { count: number; accepted: number | null; control: number | null; acting: number | null }
  const { count } = runs as { count: number }
  const inRuns = reasons.reduce((sum, one) => sum + one.count, 0)
  return {
    since: since ?? null,
    engines: engines.map(({ driver, platform, operations, rate, mean, p95 }) => {
      const [engine = driver, mode = null] = driver.split('/')
      return { engine, mode, platform, operations, successRate: rate, meanMs: mean, p95Ms: p95 }
    }),
    switches: switches.map(({ source, target, mean, ...rest }) => ({
      from: source,
      to: target,
      ...rest,
      meanMs: mean,
    })),
    runs: { count, switchesPerRun: count === 0 ? 0 : inRuns / count, reasons: reasons.map((one) => ({ ...one })) },
    takeovers: {
      count: takeovers.count,
      meanRequestToAcceptedMs: takeovers.accepted,
      meanAcceptedToControlMs: takeovers.control,
      meanHandBackToActingMs: takeovers.acting,
    },
  }
}
