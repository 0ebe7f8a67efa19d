import type { Connection } from './open.ts'

/** Where a damaged store was put: kept, because whoever starts the console again has not read it yet. */
export const setAsideKey = 'setAside'

/** Small named values as JSON. Whoever reads one checks it: an older console may have written it. */
export function settingsTable(connection: Connection) {
  const read = connection.prepare('SELECT value FROM settings WHERE key = ?').pluck()
  const write = connection.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  return {
    get(key: string): unknown {
      const text = read.get(key)
      if (typeof text !== 'string') return undefined
      try {
        return JSON.parse(text) as unknown
      } catch {
        return undefined
      }
    },
    set(key: string, value: unknown): void {
      write.run(key, JSON.stringify(value))
    },
  }
}
