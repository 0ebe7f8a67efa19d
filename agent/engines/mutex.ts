import { Problem } from '../../shared/errors.ts'

interface Waiter {
  start: () => void
  cancel: (problem: Problem) => void
}

/**
 * One change of engines at a time, each for a limited time: a connect that hangs loses the lock, and its signal is
 * aborted, so that nothing it does later counts.
 */
export class Mutex {
  readonly #limitMs: number
  readonly #waiting: Waiter[] = []
  #holder: { abort: AbortController; lost: (problem: Problem) => void } | null = null

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  get busy(): boolean {
    return this.#holder !== null
  }

  async run<Result>(what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#holder !== null) await new Promise<void>((start, cancel) => this.#waiting.push({ start, cancel }))
    const abort = new AbortController()
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => {})
    const holder = { abort, lost: lost.reject }
    this.#holder = holder
    const seconds = this.#limitMs / 1000
    const late = new Problem('timeout', `${what} took more than ${seconds} s and was given up. Try again.`)
    const timer = setTimeout(() => this.#lose(late), this.#limitMs)
    try {
      return await Promise.race([work(abort.signal), lost.promise])
    } finally {
      clearTimeout(timer)
      if (this.#holder === holder) this.#next()
    }
  }

  /** Cancels everyone who waits and takes the lock from whoever has it; says how many that were. */
  forceRelease(
    problem = new Problem('conflict', 'Somebody released the engine by force meanwhile. Try again.'),
  ): number {
    const waiting = this.#waiting.splice(0)
    for (const waiter of waiting) waiter.cancel(problem)
    const held = this.#holder === null ? 0 : 1
    this.#lose(problem)
    return waiting.length + held
  }

  #lose(problem: Problem): void {
    const holder = this.#holder
    if (holder === null) return
    holder.abort.abort(problem)
    holder.lost(problem)
    this.#next()
  }

  #next(): void {
    this.#holder = null
    const waiter = this.#waiting.shift()
    if (waiter === undefined) return
    // Taken at once, so that nobody who comes in between gets before the one who waited.
    this.#holder = { abort: new AbortController(), lost: () => {} }
    waiter.start()
  }
}
