import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 25

/** Thrown by an `ask` that knows the answer can no longer come. */
export class Hopeless extends Error {}

/**
 * Asks again and again until there is an answer other than undefined or false. What `ask` throws counts as "not
 * yet", and stands in the error once the patience is over. A limit that is hit is a failure, never a result.
 */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  limitMs = 20_000,
): Promise<Exclude<Answer, undefined | false>> {
  const deadline = performance.now() + limitMs
  let last: unknown
  for (;;) {
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer as Exclude<Answer, undefined | false>
      last = undefined
    } catch (error) {
      if (error instanceof Hopeless) throw error
      last = error
    }
    if (performance.now() > deadline) {
      const why = last instanceof Error ? `: ${last.message}` : ''
      throw new Error(`Waited ${limitMs / 1000} s for ${what}${why}`, { cause: last })
    }
    await sleep(pollMs)
  }
}
