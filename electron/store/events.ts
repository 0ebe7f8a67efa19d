import type { Connection } from './open.ts'

export interface KeptEvent {
  seq: number
  at: string
  type: string
  data: Record<string, unknown>
}

interface HeardEvent {
  seq: number
  time: string
  type: string
}

interface Waiting {
  id: string
  event: HeardEvent
  onLost: ((id: string, error: unknown) => void) | undefined
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
  const lastOf = connection.prepare(
    'SELECT seq, at, type, data FROM events WHERE sandbox_id = ? AND type = ? ORDER BY id DESC LIMIT ?',
  )
  const prune = connection.prepare(
    `DELETE FROM events WHERE sandbox_id = @id AND id <=
       (SELECT id FROM events WHERE sandbox_id = @id ORDER BY id DESC LIMIT 1 OFFSET ${keptPerMachine})`,
  )
  const added = new Map<string, number>()
  let waiting: Waiting[] = []
  const write = connection.transaction((events: readonly Waiting[]) => {
    for (const { id, event } of events) {
      const { seq, time, type, ...data } = event
      insert.run(id, seq, time, type, JSON.stringify(data))
      const count = (added.get(id) ?? 0) + 1
      added.set(id, count)
      if (count % pruneEvery === 0) prune.run({ id })
    }
  })
  const flush = () => {
    const events = waiting
    waiting = []
    if (events.length === 0 || !connection.open) return
    try {
      write(events)
    } catch (error) {
      for (const { id, onLost } of new Map(events.map((one) => [one.id, one])).values()) onLost?.(id, error)
    }
  }
  return {
    /**
     * Written with everything else that came in the same turn: a thousand machines report at the same moment, and a
     * commit for each would make the last of them late. `onLost` is told once for a machine whose events did not fit.
     */
    add(id: string, event: HeardEvent, onLost?: Waiting['onLost']): void {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ id, event, onLost })
    },
    flush,
    /** Newest first. */
    last(id: string, count: number): KeptEvent[] {
      flush()
      return asEvents(last.all(id, count))
    },
    /** Those of one type, newest first. */
    lastOf(id: string, type: string, count: number): KeptEvent[] {
      flush()
      return asEvents(lastOf.all(id, type, count))
    },
  }
}

function asEvents(rows: unknown[]): KeptEvent[] {
  const kept = rows as (Omit<KeptEvent, 'data'> & { data: string })[]
  return kept.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }))
}
