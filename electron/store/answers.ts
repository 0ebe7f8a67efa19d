import type { Connection } from './open.ts'

export interface KeptAnswer {
  at: string
  value: unknown
}

/** The last answer of each machine to each call that is kept. */
export function answersTable(connection: Connection) {
  const save = connection.prepare(
    `INSERT INTO last_answers (sandbox_id, call, at, body) SELECT @id, @call, @at, @body
     WHERE EXISTS (SELECT 1 FROM sandboxes WHERE id = @id)
     ON CONFLICT (sandbox_id, call) DO UPDATE SET at = excluded.at, body = excluded.body`,
  )
  const one = connection.prepare('SELECT at, body FROM last_answers WHERE sandbox_id = ? AND call = ?')
  const ofAll = connection.prepare('SELECT sandbox_id AS machineId, at, body FROM last_answers WHERE call = ?')
  return {
    /** A machine that was removed meanwhile gets nothing kept. */
    save(id: string, call: string, at: string, value: unknown): void {
      save.run({ id, call, at, body: JSON.stringify(value) })
    },
    get(id: string, call: string): KeptAnswer | null {
      const row = one.get(id, call) as { at: string; body: string } | undefined
      return row === undefined ? null : { at: row.at, value: JSON.parse(row.body) as unknown }
    },
    ofAll(call: string): (KeptAnswer & { machineId: string })[] {
      const rows = ofAll.all(call) as { machineId: string; at: string; body: string }[]
      return rows.map(({ machineId, at, body }) => ({ machineId, at, value: JSON.parse(body) as unknown }))
    },
  }
}
