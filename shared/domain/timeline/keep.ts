import type { TimelineEntry } from '../../contract/timeline.ts'

/** More than a person reads of one machine, and with the texts cut about half a megabyte. */
const kept = 800
const keptDetail = 150

/** Two knowledges of the same timeline as one: newer words win, except that what was over is not running again. */
export function mergeEntries(older: readonly TimelineEntry[], newer: readonly TimelineEntry[]): TimelineEntry[] {
  const byKey = new Map(older.map((entry) => [entry.key, entry]))
  for (const entry of newer) {
    const known = byKey.get(entry.key)
    const over = known !== undefined && entry.running && !known.running
    // Pieced together, an entry may not know of its picture.
    byKey.set(entry.key, over ? known : { ...entry, picture: entry.picture ?? known?.picture ?? null })
  }
  return [...byKey.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.key < b.key ? 1 : -1))
}

/** What a console keeps of it on disk. */
export function keepEntries(older: readonly TimelineEntry[], newer: readonly TimelineEntry[]): TimelineEntry[] {
  return mergeEntries(older, newer)
    .slice(0, kept)
    .map((entry) => ({ ...entry, detail: entry.detail.slice(0, keptDetail), title: entry.title.slice(0, keptDetail) }))
}
