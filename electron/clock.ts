/** Time as something that can be handed in, so that a test decides when it passes. */
export interface Clock {
  now(): number
  /** Calls back later; returns the way to call it off. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after the time, or at once when the signal is given. Never rejects: the caller looks at the signal. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done)
  })
}

export function isoTime(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}
