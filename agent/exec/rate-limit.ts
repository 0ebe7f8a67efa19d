import { Problem } from '../../shared/errors.ts'

/** So many in any window of that length; the next one is told when to come back. */
export class RateLimit {
  readonly #limit: number
  readonly #windowMs: number
  readonly #now: () => number
  #times: number[] = []

  constructor(limit: number, windowMs: number, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#now = now
  }

  /** Counts one, or refuses. */
  take(what: string): void {
    const now = this.#now()
    this.#times = this.#times.filter((time) => now - time < this.#windowMs)
    const oldest = this.#times[0]
    if (oldest !== undefined && this.#times.length >= this.#limit) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + this.#windowMs - now) / 1000))
      throw new Problem(
        'too-many-requests',
        `At most ${this.#limit} ${what} in ${this.#windowMs / 1000} s. Try again in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      )
    }
    this.#times.push(now)
  }
}
