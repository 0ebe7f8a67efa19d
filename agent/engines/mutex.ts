import { Problem } from '../../shared/errors.ts'

interface Waiter {
  start: (holder: Holder) => void
  cancel: (problem: Problem) => void
}

/** Whoever has the lock. It can be lost before its work has begun: between being told and going on. */
class Holder {
  readonly #abort = new AbortController()
  readonly #lost = Promise.withResolvers<never>()

  constructor() {
    this.#lost.promise.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Rejects when the lock is lost. */
  get lost(): Promise<never> {
    return this.#lost.promise
  }

  lose(problem: Problem): void {
    this.#abort.abort(problem)
    this.#lost.reject(problem)
  }
}

/**
 * One change of engines at a time, each for a limited time: a connect that hangs loses the lock, and its signal is
 * aborted, so that nothing it does later counts.
 */
export class Mutex {
  readonly #limitMs: number
  readonly #waiting: Waiter[] = []
  #holder: Holder | null = null
  #era = 0
  #lastForce: Problem | null = null

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  get busy(): boolean {
    return this.#holder !== null
  }

  /** Changes with every release by force: what was begun before one is over with it, even if it does not wait yet. */
  get era(): number {
    return this.#era
  }

  /** Runs what was begun in this era, where something had to be made ready first. */
  async runIn<Result>(era: number, what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (era !== this.#era && this.#lastForce !== null) throw this.#lastForce
    return this.run(what, work)
  }

  async run<Result>(what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const holder = this.#holder === null ? this.#take() : await this.#wait()
    holder.signal.throwIfAborted()
    const seconds = this.#limitMs / 1000
    const late = new Problem('timeout', `${what} took more than ${seconds} s and was given up. Try again.`)
    const timer = setTimeout(() => this.#lose(late), this.#limitMs)
    try {
      return await Promise.race([work(holder.signal), holder.lost])
    } finally {
      clearTimeout(timer)
      if (this.#holder === holder) this.#next()
    }
  }

  /** Cancels everyone who waits and takes the lock from whoever has it; says how many that were. */
  forceRelease(
    problem = new Problem('conflict', 'Somebody released the engine by force meanwhile. Try again.'),
  ): number {
    this.#era++
    this.#lastForce = problem
    const waiting = this.#waiting.splice(0)
    for (const waiter of waiting) waiter.cancel(problem)
    const held = this.#holder === null ? 0 : 1
    this.#lose(problem)
    return waiting.length + held
  }

  #lose(problem: Problem): void {
    const holder = this.#holder
    if (holder === null) return
    holder.lose(problem)
    this.#next()
  }

  #take(): Holder {
    const holder = new Holder()
    this.#holder = holder
    return holder
  }

  #wait(): Promise<Holder> {
    return new Promise((start, cancel) => this.#waiting.push({ start, cancel }))
  }

  #next(): void {
    this.#holder = null
    const waiter = this.#waiting.shift()
    if (waiter === undefined) return
    // Taken at once, so that nobody who comes in between gets before the one who waited.
    waiter.start(this.#take())
  }
}
