import type { LogLine } from '../../shared/contract/logs.ts'
import { LineAssembler, type RawLine } from '../../shared/domain/log-lines.ts'
import type { History, HistoryQuery } from './sources.ts'

/** An answer may be 16 MiB on the wire, and a line of control characters grows sixfold there. */
const maxAnswerBytes = 10 * 1024 * 1024
/** A search goes this far back in a log and no further: it must end while someone waits. */
const maxSearchedBytes = 256 * 1024 * 1024
/** Lines that belong together are looked at together up to here. */
const maxCarriedEntries = 20_000

export interface BackwardSource {
  /** Portions from the newest to the oldest, each in its own order. */
  portions: AsyncIterable<string[]>
  decode: (entries: string[]) => RawLine[]
  /** Whether nothing before the entry can belong to the same line or moment. */
  startsAfresh: (entry: string, before: string) => boolean
}

/** The last lines that fit, read from the end of a log. */
export async function readLast(source: BackwardSource, service: string, query: HistoryQuery): Promise<History> {
  const taken = new LastLines(query)
  let newer: string[] = []
  let searched = 0
  for await (const portion of source.portions) {
    const entries = newer.length === 0 ? portion : [...portion, ...newer]
    for (const entry of portion) searched += entry.length
    const cut = entries.length > maxCarriedEntries ? 0 : firstFresh(entries, source.startsAfresh)
    if (cut === -1) {
      newer = entries
      continue
    }
    newer = entries.slice(0, cut)
    if (taken.add(assemble(source.decode(entries.slice(cut)), service))) return taken.result(true)
    if (searched > maxSearchedBytes) return taken.result(true)
  }
  if (newer.length > 0) taken.add(assemble(source.decode(newer), service))
  return taken.result(false)
}

function firstFresh(entries: readonly string[], startsAfresh: BackwardSource['startsAfresh']): number {
  for (let index = 1; index < entries.length; index++) {
    if (startsAfresh(entries[index] ?? '', entries[index - 1] ?? '')) return index
  }
  return -1
}

export function assemble(raws: readonly RawLine[], service: string): LogLine[] {
  const assembler = new LineAssembler(service)
  return [...assembler.push(raws), ...assembler.flush()]
}

export function fits(line: LogLine, { since, search }: Pick<HistoryQuery, 'since' | 'search'>): boolean {
  if (since !== undefined && line.timestamp < since) return false
  return search === undefined || search === '' || line.message.toLowerCase().includes(search.toLowerCase())
}

/** Collects from the newest line backwards, as many as asked for and as an answer can carry. */
export class LastLines {
  readonly #query: HistoryQuery
  /** Newest first. */
  readonly #lines: LogLine[] = []
  #bytes = 0
  #left = false

  constructor(query: HistoryQuery) {
    this.#query = query
  }

  /** Takes a portion that is older than all before it; true when older ones are of no use any more. */
  add(portion: readonly LogLine[]): boolean {
    const { since, lines } = this.#query
    for (let index = portion.length - 1; index >= 0; index--) {
      const line = portion[index]
      if (line === undefined || !fits(line, this.#query)) continue
      if (this.#lines.length >= lines || this.#bytes > maxAnswerBytes) {
        this.#left = true
        return true
      }
      this.#bytes += wireBytes(line.message)
      this.#lines.push(line)
    }
    const oldest = portion[0]
    return since !== undefined && oldest !== undefined && oldest.timestamp < since && this.#settle()
  }

  result(unread: boolean): History {
    const truncated = this.#left || (unread && !this.#complete)
    return { lines: this.#lines.slice().reverse(), truncated }
  }

  #complete = false

  #settle(): boolean {
    this.#complete = true
    return true
  }
}

function wireBytes(message: string): number {
  return message.length < 4096 ? message.length + 100 : Buffer.byteLength(JSON.stringify(message))
}
