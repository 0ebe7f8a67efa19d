/** How often a browser that ends by itself is started again, and how soon. */
const maxRestarts = 3
const withinMs = 10 * 60_000
const firstDelayMs = 1000

export type RestartPolicy = 'never' | 'on-failure'

/** What follows a failure; `text` says so in the event. */
export type RestartPlan = { delayMs: number; text: string } | { delayMs: null; text: string }

/** Remembers restarts, so that a browser that cannot live is not started for ever. */
export class Restarts {
  readonly #policy: RestartPolicy
  #times: number[] = []

  constructor(policy: RestartPolicy) {
    this.#policy = policy
  }

  next(now = Date.now()): RestartPlan {
    if (this.#policy === 'never') return { delayMs: null, text: '' }
    this.#times = this.#times.filter((time) => now - time < withinMs)
    if (this.#times.length >= maxRestarts) {
      const text = `It is not started again: it was ${maxRestarts} times within ${withinMs / 60_000} minutes.`
      return { delayMs: null, text }
    }
    const delayMs = firstDelayMs * 2 ** this.#times.length
    this.#times.push(now)
    return { delayMs, text: `It is started again in ${delayMs / 1000} s (${this.#times.length} of ${maxRestarts}).` }
  }
}
