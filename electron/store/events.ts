import type { Connection } from './open.ts'

export interface KeptEvent {
  seq: number
  at: string
  type: string
  data: Record<string, unknown>
}

/** More than anyone reads of one machine; agents keep their own. */
const keptPerMachine = 2000
/** Between two looks at whether there are too many. */
const pruneEvery = 500

/** What machines reported, for looking at it later and offline. */
export function eventsTable(connection: Connection) {
  const insert = connection.prepare('INSERT INTO events (sandbox_id, seq, at, type, data) VALUES (?, ?, ?, ?, ?)')
  const last = connection.prepare(
    'SELECT seq, at, type, data FROM events WHERE sandbox_id = ? ORDER BY id DESC LIMIT ?',
  )
  const prune = connection.prepare(
    `DELETE FROM events WHERE sandbox_id = @id AND id <=
       (SELECT id FROM events WHERE sandbox_id = @id ORDER BY id DESC LIMIT 1 OFFSET ${keptPerMachine})`,
  )
  const added = new Map<string, number>()
  return {
    add(id: string, event: { seq: number; time: string; type: string }): void {
      const { seq, time, type, ...data } = event
      insert.run(id, seq, time, type, JSON.stringify(data))
      const count = (added.get(id) ?? 0) + 1
      added.set(id, count)
      if (count % pruneEvery === 0) prune.run({ id })
    },
    /** Newest first. */
    last(id: string, count: number): KeptEvent[] {
      const rows = last.all(id, count) as (Omit<KeptEvent, 'data'> & { data: string })[]
      return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }))
    },
  }
}
