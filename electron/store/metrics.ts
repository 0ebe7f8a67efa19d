import type { Metrics } from '../../shared/contract/machine.ts'
import type { Connection } from './open.ts'

/** One reading, or the mean of several: percent, and bytes per second. */
export interface MetricPoint {
  /** Milliseconds since 1970. */
  at: number
  cpu: number
  memory: number
  disk: number
  rx: number
  tx: number
}

const minute = 60_000
const day = 24 * 60 * minute

/** How close the readings stand, and how long they are kept. Each tier is made of the one before. */
export const tiers = [
  { table: 'metrics_raw', everyMs: minute / 2, keptMs: day },
  { table: 'metrics_5min', everyMs: 5 * minute, keptMs: 14 * day },
  { table: 'metrics_hourly', everyMs: 60 * minute, keptMs: 365 * day },
] as const

/** Readings are gathered and written together this often: a write per machine and tick would keep the disk awake. */
const flushMs = minute

/** Load over time, thinned as it ages. */
export function metricsTable(connection: Connection) {
  const insert = connection.prepare(
    'INSERT OR REPLACE INTO metrics_raw (sandbox_id, at, cpu, memory, disk, rx, tx) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const insertMissing = connection.prepare(
    'INSERT OR IGNORE INTO metrics_raw (sandbox_id, at, cpu, memory, disk, rx, tx) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const thin = tiers.slice(1).map((tier, index) => ({
    ...tier,
    // Only whole, past intervals that are not there yet.
    statement: connection.prepare(
      `INSERT OR REPLACE INTO ${tier.table} (sandbox_id, at, cpu, memory, disk, rx, tx)
       SELECT sandbox_id, at / ${tier.everyMs} * ${tier.everyMs}, avg(cpu), avg(memory), avg(disk), avg(rx), avg(tx)
       FROM ${tiers[index]?.table} WHERE sandbox_id = @id AND at >= @from AND at < @to GROUP BY 1, 2`,
    ),
    newest: connection.prepare(`SELECT max(at) FROM ${tier.table} WHERE sandbox_id = ?`).pluck(),
  }))
  const forget = tiers.map((tier) => ({
    keptMs: tier.keptMs,
    statement: connection.prepare(`DELETE FROM ${tier.table} WHERE sandbox_id = ? AND at < ?`),
  }))
  const read = tiers.map((tier) =>
    connection.prepare(
      `SELECT at, cpu, memory, disk, rx, tx FROM ${tier.table} WHERE sandbox_id = ? AND at >= ? AND at < ? ORDER BY at`,
    ),
  )
  const readTail = tiers.map(({ everyMs }) =>
    connection.prepare(
      `SELECT at / ${everyMs} * ${everyMs} AS at, avg(cpu) AS cpu, avg(memory) AS memory, avg(disk) AS disk,
         avg(rx) AS rx, avg(tx) AS tx
       FROM metrics_raw WHERE sandbox_id = ? AND at >= ? AND at < ? GROUP BY 1 ORDER BY 1`,
    ),
  )
  const machines = connection.prepare('SELECT id FROM sandboxes').pluck()
  let waiting: [id: string, point: MetricPoint][] = []
  let waitingSince = 0
  const lastOf = new Map<string, number>()
  const write = connection.transaction((points: typeof waiting) => {
    for (const [id, { at, cpu, memory, disk, rx, tx }] of points) insert.run(id, at, cpu, memory, disk, rx, tx)
  })
  const flush = () => {
    const points = waiting
    waiting = []
    if (points.length > 0) write(points)
  }
  const fillIn = connection.transaction((id: string, points: readonly MetricPoint[], now: number) => {
    for (const { at, cpu, memory, disk, rx, tx } of points) insertMissing.run(id, at, cpu, memory, disk, rx, tx)
    const first = points[0]?.at ?? now
    for (const { everyMs, statement } of thin) {
      const from = Math.floor(first / everyMs) * everyMs
      statement.run({ id, from, to: Math.floor(now / everyMs) * everyMs })
    }
  })
  const thinOne = connection.transaction((id: string, now: number) => {
    for (const { everyMs, statement, newest } of thin) {
      const last = newest.get(id)
      const from = typeof last === 'number' ? last : 0
      statement.run({ id, from, to: Math.floor(now / everyMs) * everyMs })
    }
    for (const { keptMs, statement } of forget) statement.run(id, now - keptMs)
  })

  return {
    /** Takes a reading; of more than one per half minute, the first. */
    add(id: string, metrics: Metrics, at: number): void {
      const { everyMs } = tiers[0]
      const slot = Math.floor(at / everyMs)
      if (lastOf.get(id) === slot) return
      lastOf.set(id, slot)
      const { cpu, memory, disk, network } = metrics
      const point = { at: slot * everyMs, cpu: cpu.usagePercent, memory: memory.usagePercent, disk: disk.usagePercent }
      if (waiting.length === 0) waitingSince = at
      waiting.push([id, { ...point, rx: network.rxBytesPerSec, tx: network.txBytesPerSec }])
      if (at - waitingSince >= flushMs) flush()
    },
    flush,
    /**
     * Takes readings of the last day that came late, oldest first, where there are none; the coarser tiers are made
     * anew from there. The oldest minutes are left: some readings of their interval may be forgotten already.
     */
    fill(id: string, points: readonly MetricPoint[], now: number): void {
      flush()
      const { everyMs, keptMs } = tiers[0]
      const oldest = now - keptMs + 2 * tiers[1].everyMs
      const wanted = points.filter(({ at }) => at >= oldest && at <= now && at % everyMs === 0)
      if (wanted.length > 0) fillIn(id, wanted, now)
    },
    /** Makes the coarser tiers and forgets what is too old, a machine at a time: nothing waits long for it. */
    async thin(
      now: number,
      pause: () => Promise<void> = () => new Promise((done) => setImmediate(done)),
    ): Promise<void> {
      flush()
      for (const id of machines.all() as string[]) {
        if (!connection.open) return
        thinOne(id, now)
        await pause()
      }
    },
    /** The finest tier that reaches back that far; what it does not have yet comes from the readings themselves. */
    history(id: string, from: number, to: number, now: number): { everyMs: number; points: MetricPoint[] } {
      flush()
      const found = tiers.findIndex((tier) => from >= now - tier.keptMs - minute && (to - from) / tier.everyMs <= 3000)
      const index = found === -1 ? tiers.length - 1 : found
      const points = (read[index]?.all(id, from, to) ?? []) as MetricPoint[]
      const everyMs = tiers[index]?.everyMs ?? 0
      if (index === 0) return { everyMs, points }
      const newest = points.at(-1)?.at
      const missing = newest === undefined ? from : newest + everyMs
      const tail = (readTail[index]?.all(id, missing, to) ?? []) as MetricPoint[]
      return { everyMs, points: [...points, ...tail] }
    },
  }
}
