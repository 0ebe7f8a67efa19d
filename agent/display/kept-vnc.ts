import { setTimeout as sleep } from 'node:timers/promises'
import { type CaredProcess, exitText } from '../processes/spawn-cared.ts'

/** A VNC server that ends so often within a minute has a reason to. */
const maxRestarts = 3
const withinMs = 60_000
/** When the display itself ends, its VNC server ends with it: a moment shows which of the two it was. */
const settleMs = 50

export interface KeptVncOptions {
  /** Starts the server and waits until it lets the agent in. */
  start: () => Promise<CaredProcess>
  /** Why there is nothing left to show; undefined while the display is well. */
  displayGone: () => Promise<string | undefined>
}

/**
 * A VNC server that is a program beside the display. When it ends, nothing of the page is lost: it alone is started
 * again, at the same port and with the same password, and whoever watched comes back.
 */
export class KeptVnc {
  readonly #options: KeptVncOptions
  readonly #gaveUp = Promise.withResolvers<string>()
  readonly #listeners = new Set<(text: string) => void>()
  readonly #restarts: number[] = []
  #process: CaredProcess
  #stopped = false
  #ready: Promise<void> = Promise.resolve()

  private constructor(options: KeptVncOptions, first: CaredProcess) {
    this.#options = options
    this.#process = first
    this.#watch()
  }

  static async start(options: KeptVncOptions): Promise<KeptVnc> {
    return new KeptVnc(options, await options.start())
  }

  /** The one that runs now, or ran last. */
  get process(): CaredProcess {
    return this.#process
  }

  /** Settles with the reason when it is not started again. */
  get gaveUp(): Promise<string> {
    return this.#gaveUp.promise
  }

  /** Resolves when no restart is under way. */
  get ready(): Promise<void> {
    return this.#ready
  }

  /** Calls back with a sentence each time it was started again; returns what ends that. */
  onRestart(listener: (text: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** It runs and does not answer: a frozen one is ended, and its end brings the next. */
  async replace(): Promise<void> {
    const frozen = this.#process
    await frozen.end(0)
    // Its end is noticed in this turn of the loop or the next.
    await sleep(0)
    await this.#ready
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#process.end(1000)
    await this.#ready
    // One that was being started meanwhile.
    await this.#process.end(1000)
  }

  #watch(): void {
    const watched = this.#process
    void watched.exited.then((exit) => {
      watched.endGroup()
      if (this.#stopped) return
      this.#ready = this.#again(`${watched.name} ended by itself (${exitText(exit)}).`, watched.lastLines())
    })
  }

  async #again(what: string, lastLines: string): Promise<void> {
    await sleep(settleMs)
    const now = Date.now()
    while (this.#restarts[0] !== undefined && now - this.#restarts[0] > withinMs) this.#restarts.shift()
    const gone = await this.#options.displayGone()
    if (this.#stopped) return
    if (gone !== undefined) return this.#gaveUp.resolve(`${gone}\n${lastLines}`.trim())
    if (this.#restarts.length >= maxRestarts)
      return this.#gaveUp.resolve(
        `${what} It is not started again: it was ${maxRestarts} times within a minute.\n${lastLines}`.trim(),
      )
    this.#restarts.push(now)
    try {
      this.#process = await this.#options.start()
      this.#watch()
    } catch (error) {
      if (!this.#stopped) this.#gaveUp.resolve(`${what} It could not be started again: ${(error as Error).message}`)
      return
    }
    for (const listener of this.#listeners) listener(`${what} It was started again; the browser went on.`)
  }
}
