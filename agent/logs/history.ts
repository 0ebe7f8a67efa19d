import type { LogLine } from '../../shared/contract/logs.ts'
import { LineAssembler, type RawLine } from '../../shared/domain/log-lines.ts'
import type { History, HistoryQuery } from './sources.ts'

/** An answer may be 16 MiB on the wire, and a line of control characters grows sixfold there. */
const maxAnswerBytes = 10 * 1024 * 1024
/** A search goes this far back in a log and no further: it must end while someone waits. */
const maxSearchedBytes = 256 * 1024 * 1024
/** More than lines, because a stack trace is one line of many, and one more says that there are older ones. */
const spareEntries = 16
/** Lines that belong together are looked at together up to here. */
const maxCarriedEntries = 20_000

export interface BackwardSource {
  /** Portions from the newest to the oldest, each in its own order. */
  portions: AsyncIterable<string[]>
  decode: (entries: string[]) => RawLine[]
  /** Says of each entry, by its index, whether nothing before it can belong to the same line or moment. */
  freshStarts: (entries: readonly string[]) => (index: number) => boolean
}

/** The last lines that fit, read from the end of a log. */
export async function readLast(source: BackwardSource, service: string, query: HistoryQuery): Promise<History> {
  const taken = new LastLines(query)
  /** Read, but older than all that was taken so far. */
  let older: string[] = []
  let searched = 0
  for await (const portion of source.portions) {
    older = older.length === 0 ? portion : [...portion, ...older]
    for (const entry of portion) searched += entry.length
    // A portion may hold far more than is wanted: what is not looked at costs nothing.
    for (let cut = cutFor(older, taken.wanted, source); cut !== -1; cut = cutFor(older, taken.wanted, source)) {
      const entries = older.slice(cut)
      older = older.slice(0, cut)
      if (taken.add(assemble(source.decode(entries), service))) return taken.result(true)
      if (cut === 0) break
    }
    if (searched > maxSearchedBytes) return taken.result(true)
  }
  if (older.length > 0) taken.add(assemble(source.decode(older), service))
  return taken.result(false)
}

/** From which entry on the newest are looked at, so that it gives what is wanted; -1 where more has to be read first. */
function cutFor(entries: readonly string[], wanted: number, { freshStarts }: BackwardSource): number {
  const isFresh = freshStarts(entries)
  for (let index = entries.length - wanted; index > 0; index--) if (isFresh(index)) return index
  for (let index = Math.max(1, entries.length - wanted); index < entries.length; index++) {
    if (isFresh(index)) return index
  }
  return entries.length > maxCarriedEntries ? 0 : -1
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

  /** As many entries as are likely to give the lines that are still missing; all there are, where few may fit. */
  get wanted(): number {
    const { lines, search } = this.#query
    if (search !== undefined && search !== '') return Number.POSITIVE_INFINITY
    return lines - this.#lines.length + spareEntries
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

/** The newest lines that fit, of a source that is read from its beginning. */
export class NewestLines {
  readonly #query: HistoryQuery
  #lines: LogLine[] = []
  #left = false

  constructor(query: HistoryQuery) {
    this.#query = query
  }

  get lines(): readonly LogLine[] {
    return this.#lines
  }

  /** Whether older ones that fit were let go. */
  get left(): boolean {
    return this.#left
  }

  add(more: readonly LogLine[]): void {
    for (const line of more) if (fits(line, this.#query)) this.#lines.push(line)
    if (this.#lines.length <= 2 * this.#query.lines) return
    this.#left = true
    this.#lines = this.#lines.slice(-this.#query.lines)
  }
}

/** All that is written as it is, one byte a letter. */
const plain = /^[ !#-[\]-~]*$/
/** Its time, its level, its service and the names of all these. */
const aroundBytes = 250

/** Even if each letter took the most that one can, all lines of an answer would fit at this length. */
const shortChars = 200
const mostBytesPerChar = 6

function wireBytes(message: string): number {
  if (message.length < shortChars) return aroundBytes + message.length * mostBytesPerChar
  return aroundBytes + (plain.test(message) ? message.length : Buffer.byteLength(JSON.stringify(message)))
}
