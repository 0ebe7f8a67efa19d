import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'

const firstDelayMs = 50
const maxDelayMs = 2000
const forgetAfterMs = 60_000
/** Answers held back at once; beyond, a guesser is told to go away at once, which costs us nothing. */
const maxWaiting = 64

/**
 * Slows down wrong secrets. Only the answer to a wrong one waits: a client with the right secret is never
 * delayed, whatever others do.
 */
export class Throttle {
  #failures = 0
  #lastFailure = 0
  #waiting = 0

  /** `guessed`: something was sent, and it was wrong. To send nothing is no attempt, and is answered at once. */
  async refuse(guessed: boolean): Promise<never> {
    if (!guessed) throw unauthorized()
    const now = Date.now()
    if (now - this.#lastFailure > forgetAfterMs) this.#failures = 0
    this.#lastFailure = now
    this.#failures++
    if (this.#waiting >= maxWaiting) {
      throw new Problem('too-many-requests', 'Too many attempts with a wrong secret. Wait, then use the right one.', {
        retryAfterSeconds: 2,
      })
    }
    this.#waiting++
    // The first few come quickly: a person who mistyped does not notice.
    await sleep(Math.min(maxDelayMs, firstDelayMs * 2 ** Math.max(0, this.#failures - 3)))
    this.#waiting--
    throw unauthorized()
  }
}

function unauthorized(): Problem {
  return new Problem('unauthorized', 'Send the agent\'s secret as "Authorization: Bearer <secret>".')
}
