/** Growing waits with jitter, so that a fleet that lost its agents does not come back all at once. */
export function backoff(options: { firstMs?: number; maxMs?: number; random?: () => number } = {}) {
  const { firstMs = 250, maxMs = 15_000, random = Math.random } = options
  let wait = firstMs
  return {
    next(): number {
      const chosen = wait / 2 + (random() * wait) / 2
      wait = Math.min(wait * 2, maxMs)
      return chosen
    },
    reset(): void {
      wait = firstMs
    },
  }
}
