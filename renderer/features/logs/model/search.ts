import { flag, type LineStore } from './line-store.ts'
import type { Pattern } from './protocol.ts'
import { type Searcher, SearchTookTooLong } from './searcher.ts'

/** A piece takes a few milliseconds; one of an earlier pattern that takes longer is not waited for. */
const pieceMs = 100

/** Goes through all lines for a pattern, piece by piece, and goes on with what comes. */
export class Search {
  readonly #store: LineStore
  readonly #searcher: Searcher
  readonly #changed: () => void
  #pattern: Pattern | null = null
  #turn = 0
  /** The first line that has not been looked at. */
  #next = 0
  #running = false
  /** Settled when the piece that is being looked through is. */
  #piece: Promise<unknown> = Promise.resolve()
  #lookedThrough = false
  #matches = 0
  #problem: string | null = null

  constructor(store: LineStore, searcher: Searcher, changed: () => void) {
    this.#store = store
    this.#searcher = searcher
    this.#changed = changed
  }

  get pattern(): Pattern | null {
    return this.#pattern
  }

  get matches(): number {
    return this.#matches
  }

  get problem(): string | null {
    return this.#problem
  }

  get progress(): number | null {
    if (!this.#running || this.#store.next === 0) return null
    return Math.min(1, this.#next / this.#store.next)
  }

  /** Whether all lines that were there have been looked through once; what comes later is looked through as it comes. */
  get lookedThrough(): boolean {
    return this.#lookedThrough || this.#problem !== null
  }

  begin(pattern: Pattern | null): void {
    this.#turn++
    this.#running = false
    this.#lookedThrough = false
    this.#pattern = pattern
    this.#next = 0
    this.#matches = 0
    this.#problem = null
    this.#store.clearFlag(flag.match)
    this.more()
  }

  /** There are new lines, or a new pattern. */
  more(): void {
    if (this.#pattern === null || this.#running || this.#problem !== null) return
    void this.#run(this.#pattern, this.#turn)
  }

  /** Lines before this one have left. */
  dropped(first: number): void {
    this.#next = Math.max(this.#next, first)
    if (this.#pattern === null) return
    let matches = 0
    for (let serial = first; serial < this.#next; serial++) {
      if ((this.#store.flags(serial) & flag.match) !== 0) matches++
    }
    this.#matches = matches
  }

  async #run(pattern: Pattern, turn: number): Promise<void> {
    this.#running = true
    try {
      await this.#earlierPiece()
      for (;;) {
        if (turn !== this.#turn) return
        const piece = this.#store.textFrom(this.#next)
        if (piece === undefined) break
        const next = piece.first + piece.ends.length
        const asked = this.#searcher.test(pattern, piece.text, piece.ends)
        this.#piece = asked.catch(() => {})
        const hits = await asked
        if (turn !== this.#turn) return
        for (const place of hits) this.#hit(piece.first + place)
        this.#next = Math.max(this.#next, next)
        if (hits.length > 0) this.#changed()
      }
    } catch (error) {
      if (turn !== this.#turn) return
      this.#problem = describe(error, this.#matches)
    }
    this.#lookedThrough = true
    this.#running = false
    this.#changed()
  }

  /** To end a thread and begin another costs a person who types more than to wait for a piece nobody wants any more. */
  async #earlierPiece(): Promise<void> {
    const limit = setTimeout(() => this.#searcher.stop(new Error('another search began')), pieceMs)
    await this.#piece
    clearTimeout(limit)
  }

  #hit(serial: number): void {
    if (!this.#store.has(serial) || (this.#store.flags(serial) & (flag.mark | flag.gone)) !== 0) return
    this.#store.setFlag(serial, flag.match, true)
    this.#matches++
  }
}

function describe(error: unknown, matches: number): string {
  if (error instanceof SearchTookTooLong) {
    const found = matches === 0 ? '' : ` ${matches} matches were found before.`
    return `This expression takes too long and was stopped.${found} Use a simpler one: no repetition inside a repetition.`
  }
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^Invalid regular expression: /, 'Not an expression: ')
}
