import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import type { CdpSession } from '../browser/cdp.ts'

const lastMomentsMs = 5

/** One call at work on a page: it ends with its answer, or with the first thing that comes between. */
export class Operation {
  readonly #abort = new AbortController()
  readonly #stopped = Promise.withResolvers<never>()
  #deadline: number
  #limitMs: number
  #timer: NodeJS.Timeout | undefined
  #reason: (() => Problem) | undefined
  /** What a dialog that opens, or the end of the tab, means: that the page answers no more; after a click that it worked. */
  dialogIs: 'obstacle' | 'outcome' = 'obstacle'
  /** The conversations in which a question is still open after its time: they are asked nothing else meanwhile. */
  readonly silent = new Set<CdpSession>()

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#deadline = performance.now() + limitMs
    this.#stopped.promise.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** How long is left; never 0, since a command with no time at all would not even be sent. */
  leftMs(): number {
    return Math.max(1, this.#deadline - performance.now())
  }

  /** Says what is being waited for, in case the time is up meanwhile. */
  waitingFor(reason: () => Problem): void {
    this.#reason = reason
  }

  /** Gives more time, for what takes as long as there is to do. */
  extend(ms: number): void {
    this.#limitMs += ms
    this.#deadline += ms
    this.#startTimer()
  }

  interrupt(problem: Problem): void {
    this.#stopped.reject(problem)
    this.#abort.abort()
  }

  /** Runs the work until it is done, interrupted or out of time. */
  async run<Result>(work: (operation: Operation) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    this.#startTimer()
    const left = () => this.interrupt(new Problem('cancelled', 'The client went away.'))
    signal?.addEventListener('abort', left)
    if (signal?.aborted) left()
    try {
      return await Promise.race([work(this), this.#stopped.promise])
    } catch (error) {
      // A command that shares the last moments with the whole call must not speak for it: timers are not exact.
      if (error instanceof Problem && error.code === 'timeout' && this.leftMs() <= lastMomentsMs) throw this.#late()
      throw error
    } finally {
      clearTimeout(this.#timer)
      signal?.removeEventListener('abort', left)
      this.#abort.abort()
    }
  }

  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#abort.signal })
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.interrupt(this.#late()), this.leftMs())
  }

  #late(): Problem {
    return (
      this.#reason?.() ??
      new Problem('timeout', `The page did not answer within ${this.#limitMs} ms. Reload it, or navigate elsewhere.`)
    )
  }
}
