import { type Clock, sleep } from '../clock.ts'

/**
 * Lets so many begin each second. When two hundred agents come back at once they are all asked within two
 * seconds, and never all in the same moment.
 */
export class Gate {
  readonly #clock: Clock
  readonly #gapMs: number
  #next = 0

  constructor(clock: Clock, perSecond = 100) {
    this.#clock = clock
    this.#gapMs = 1000 / perSecond
  }

  /** Resolves when it is one's turn; at once while few ask. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const at = Math.max(now, this.#next)
    this.#next = at + this.#gapMs
    if (at - now >= 1) await sleep(this.#clock, at - now, signal)
  }
}
