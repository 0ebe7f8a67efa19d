import type { LineStore } from './line-store.ts'
import type { Pattern } from './protocol.ts'
import { type Searcher, SearchTookTooLong } from './searcher.ts'

/** Texts whose matches are remembered: some screens full. */
const kept = 1000
const maxChars = 20_000

/** Where matches stand in what is on the screen. Found in the other thread, as all matching is. */
export class Highlights {
  readonly #searcher: Searcher
  readonly #changed: () => void
  readonly #found = new Map<string, readonly number[]>()
  #wanted = new Set<string>()
  #pattern: Pattern | null = null
  #asking = false

  constructor(searcher: Searcher, changed: () => void) {
    this.#searcher = searcher
    this.#changed = changed
  }

  use(pattern: Pattern | null): void {
    this.#pattern = pattern
    this.#found.clear()
    this.#wanted.clear()
  }

  /** The matches in a row's text; none until they are known. */
  of(serial: number, store: LineStore, text: string, start: number): number[] {
    const whole = start < 0 ? text : store.message(serial).slice(0, maxChars)
    const ranges = this.#found.get(whole)
    if (ranges === undefined) {
      this.#wanted.add(whole)
      return []
    }
    // A match may begin in one row and end in the next.
    const offset = Math.max(0, start)
    const hits: number[] = []
    for (let place = 0; place < ranges.length; place += 2) {
      const from = Math.max(0, (ranges[place] ?? 0) - offset)
      const to = Math.min(text.length, (ranges[place + 1] ?? 0) - offset)
      if (to > from) hits.push(from, to)
    }
    return hits
  }

  /** Asks for what was wanted since. */
  wantSoon(): void {
    const pattern = this.#pattern
    if (pattern === null || this.#asking || this.#wanted.size === 0) return
    const texts = [...this.#wanted]
    this.#wanted.clear()
    this.#asking = true
    this.#searcher
      .ranges(pattern, texts)
      .then(
        (all) => {
          if (pattern !== this.#pattern) return
          for (const [place, text] of texts.entries()) this.#found.set(text, all[place] ?? [])
          for (const oldest of this.#found.keys()) {
            if (this.#found.size <= kept) break
            this.#found.delete(oldest)
          }
          this.#changed()
        },
        // The search itself says what is wrong with the expression. One that takes too long is not begun again with
        // every line that comes.
        (error: unknown) => {
          if (error instanceof SearchTookTooLong && pattern === this.#pattern) this.use(null)
        },
      )
      .finally(() => {
        this.#asking = false
        if (this.#wanted.size > 0) this.#changed()
      })
  }
}
