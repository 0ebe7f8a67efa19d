import type { Connection } from './open.ts'

/** Logs kept over all machines; the one that was looked at longest ago goes first. */
const maxKept = 64

export interface SeenLog {
  service: string
  savedAt: string
  lines: number
}

/** The last lines of logs that were looked at, as packed bytes. */
export function seenLogsTable(connection: Connection) {
  const write = connection.prepare(
    `INSERT INTO seen_logs (sandbox_id, service, saved_at, lines, packed) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (sandbox_id, service)
     DO UPDATE SET saved_at = excluded.saved_at, lines = excluded.lines, packed = excluded.packed`,
  )
  const thin = connection.prepare(
    `DELETE FROM seen_logs WHERE rowid IN (SELECT rowid FROM seen_logs ORDER BY saved_at DESC LIMIT -1 OFFSET ${maxKept})`,
  )
  const read = connection.prepare(
    'SELECT saved_at AS savedAt, packed FROM seen_logs WHERE sandbox_id = ? AND service = ?',
  )
  const list = connection.prepare(
    'SELECT service, saved_at AS savedAt, lines FROM seen_logs WHERE sandbox_id = ? ORDER BY saved_at DESC',
  )
  const forget = connection.prepare('DELETE FROM seen_logs WHERE sandbox_id = ?')
  return {
    save: connection.transaction((machineId: string, log: SeenLog, packed: Buffer) => {
      write.run(machineId, log.service, log.savedAt, log.lines, packed)
      thin.run()
    }),
    read: (machineId: string, service: string) =>
      read.get(machineId, service) as { savedAt: string; packed: Buffer } | undefined,
    list: (machineId: string) => list.all(machineId) as SeenLog[],
    forget(machineId: string): void {
      forget.run(machineId)
    },
  }
}
