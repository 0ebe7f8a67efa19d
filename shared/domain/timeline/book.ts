import type { TimelineEntry, TimelineKind } from '../../contract/timeline.ts'

/** An entry by its key, or the newest of a sort. */
export type Target = { key: string } | { latest: string; running?: true; since?: string }

export type Patch = Partial<Pick<TimelineEntry, 'until' | 'running' | 'tone' | 'title' | 'detail' | 'who' | 'picture'>>

/** Where entries are written: SQLite in the agent, memory in a console that pieces them together. */
export interface TimelineBook {
  /** New, or instead of what had its key; a picture and a name that were known stay. */
  put(entry: TimelineEntry): void
  find(target: Target): TimelineEntry | undefined
  amend(target: Target, patch: Patch): void
  /** Whatever still goes on ended now: the agent that did it is another. */
  endRunning(at: string, note: string): void
}

type Given = Pick<TimelineEntry, 'key' | 'what' | 'at' | 'title'> &
  Partial<Omit<TimelineEntry, 'kind'>> & { kind: TimelineKind }

/** An entry with what is usual: a moment, without colour. */
export function entry(given: Given): TimelineEntry {
  return {
    ...{ until: null, running: false, tone: 'off', detail: '', who: null, count: 1, source: null, picture: null },
    ...given,
  }
}

/** Entries in memory, as a console needs them that pieces a timeline together. */
export class MemoryBook implements TimelineBook {
  readonly #entries = new Map<string, TimelineEntry>()

  put(entry: TimelineEntry): void {
    const before = this.#entries.get(entry.key)
    const kept = { who: entry.who ?? before?.who ?? null, picture: entry.picture ?? before?.picture ?? null }
    this.#entries.set(entry.key, { ...entry, ...kept })
  }

  find(target: Target): TimelineEntry | undefined {
    if ('key' in target) return this.#entries.get(target.key)
    let found: TimelineEntry | undefined
    for (const one of this.#entries.values()) {
      if (one.what !== target.latest || (target.running && !one.running)) continue
      if (target.since !== undefined && one.at < target.since) continue
      if (found === undefined || one.at >= found.at) found = one
    }
    return found
  }

  amend(target: Target, patch: Patch): void {
    const found = this.find(target)
    if (found !== undefined) this.#entries.set(found.key, { ...found, ...patch })
  }

  endRunning(at: string, note: string): void {
    for (const one of this.#entries.values()) {
      if (one.running) this.amend(one, { running: false, until: at, detail: joined(one.detail, note) })
    }
  }

  /** Newest first. */
  list(): TimelineEntry[] {
    return [...this.#entries.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.key < b.key ? 1 : -1))
  }
}

/** Two sentences as one text; one that is there already is not said twice. */
export function joined(text: string, more: string): string {
  return text === '' ? more : text.includes(more) ? text : `${text} ${more}`
}
