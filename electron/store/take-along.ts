import Database from 'better-sqlite3'
import type { Connection } from './open.ts'

/** What a person would have to enter again. Everything else is history, or comes back from the machines. */
const worthIt = ['sandboxes', 'settings'] as const

/**
 * Copies what can still be read of the machines and settings from a damaged store. Their secrets stand in the keychain
 * under the same ids, so machines that come along are reached at once. Returns how many machines those are.
 */
export function takeAlong(from: string, to: Connection): number {
  let damaged: Connection | undefined
  try {
    damaged = new Database(from, { readonly: true })
    const [machines = 0] = worthIt.map((table) => copyRows(damaged as Connection, to, table))
    return machines
  } catch {
    // No database at all: there is nothing to be had.
    return 0
  } finally {
    damaged?.close()
  }
}

/** Row by row, up to the first that cannot be read. */
function copyRows(from: Connection, to: Connection, table: string): number {
  const known = new Set((to.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name))
  let copied = 0
  try {
    for (const row of from.prepare(`SELECT * FROM ${table} NOT INDEXED`).iterate() as Iterable<object>) {
      const given = Object.entries(row).filter(([name]) => known.has(name))
      const names = given.map(([name]) => name)
      to.prepare(`INSERT OR IGNORE INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`).run(
        ...given.map(([, value]) => value),
      )
      copied++
    }
  } catch {
    // The damage is here: what came before it is kept.
  }
  return copied
}
