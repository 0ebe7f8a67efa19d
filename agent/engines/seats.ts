import type { PageState } from '../../shared/contract/engines.ts'
import { type Driver, driverName } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { BrowserPort } from './browser-port.ts'
import { type Engine, within } from './engine.ts'
import type { Freedom } from './engine-link.ts'
import type { Gate } from './gate.ts'

/** An engine that is connected, and the one way it has to the browser. */
export interface Seat {
  readonly driver: Driver
  readonly engine: Engine
  readonly gate: Gate
  /** The tab it was given. */
  readonly tabId: string | null
  readonly since: string
  failures: number
}

export interface SeatTimes {
  /** For one engine to connect, so that there is time left for the next one. */
  connectMs: number
  verifyMs: number
  disconnectMs: number
}

export interface SeatsOptions {
  browser: BrowserPort
  /** What a connection may do at this moment. */
  freedom: (gate: Gate | null) => Freedom
  publish: Publish
  log: Log
  times: SeatTimes
}

/** The engines' connections: how one is made, proved, left and cut, and that there are never two. */
export class Seats {
  readonly #options: SeatsOptions
  /** Every connection that is not yet ended, also one that is on its way in or out. */
  readonly #live = new Set<Seat>()
  #current: Seat | null = null
  #refused = 0

  constructor(options: SeatsOptions) {
    this.#options = options
  }

  /** The engine that drives; null when none is connected. */
  get current(): Seat | null {
    return this.#current?.gate.open === true ? this.#current : null
  }

  /** Commands of all engines so far that were not passed on. */
  get refused(): number {
    return this.#refused + (this.#current?.gate.refused ?? 0)
  }

  /** From here on this is the engine that drives. */
  take(seat: Seat): void {
    this.#current = seat
  }

  /** Connects an engine; `onGate` hears of its way to the browser before the engine does. */
  async open(
    driver: Driver,
    ready: Map<Driver, () => Engine>,
    before: PageState,
    signal: AbortSignal,
    onGate: (gate: Gate) => void = () => {},
  ): Promise<Seat> {
    signal.throwIfAborted()
    const make = ready.get(driver)
    if (make === undefined) throw new Problem('install-required', `${driver.engine} is not installed.`)
    const { browser, freedom, publish, times } = this.#options
    const began = performance.now()
    let own: Gate | null = null
    const gate = await browser.openGate(`engine ${driverName(driver)}`, () => freedom(own))
    own = gate
    if (signal.aborted) gate.close('it was given up')
    signal.throwIfAborted()
    const engine = make()
    const seat: Seat = { driver, engine, gate, tabId: before.tabId, since: new Date().toISOString(), failures: 0 }
    // Whoever lost the lock on the way out may not have let go yet: never two.
    this.cutAll('another one connects')
    this.#live.add(seat)
    try {
      onGate(gate)
      const limited = AbortSignal.any([signal, AbortSignal.timeout(times.connectMs)])
      await within(engine.connect(gate.cdpUrl, { tabId: before.tabId, signal: limited }), limited)
      signal.throwIfAborted()
      const durationMs = Math.round(performance.now() - began)
      publish('engine_connected', { ...driver, url: before.url, durationMs })
      return seat
    } catch (error) {
      this.cut(seat, 'it did not connect')
      throw error
    }
  }

  /** Has the engine prove that it sees the page it was given. */
  async verify(seat: Seat, signal: AbortSignal): Promise<void> {
    const { browser, times } = this.#options
    const limited = AbortSignal.any([signal, AbortSignal.timeout(times.verifyMs)])
    const seen = await within(seat.engine.currentUrl(limited), limited)
    const shown = browser.url(seat.tabId)
    if (seen !== shown) throw new Error(`it sees ${seen}, and not the page that was left, ${shown}.`)
  }

  /** Has the engine that drives disconnect by itself; one that does not is cut. */
  async leave(seat: Seat, reason: string, signal: AbortSignal): Promise<void> {
    const { log, times } = this.#options
    if (this.#current === seat) this.#current = null
    try {
      const late = AbortSignal.timeout(times.disconnectMs)
      await within(seat.engine.disconnect(), AbortSignal.any([signal, late]))
    } catch (error) {
      const fields = { engine: driverName(seat.driver), reason: (error as Error).message }
      log('warn', 'an engine did not disconnect by itself', fields)
    }
    this.cut(seat, reason, true)
  }

  /** Ends a connection at once; the library is told, and not waited for. */
  cut(seat: Seat, reason: string, told = false): void {
    if (this.#current === seat) this.#current = null
    if (!this.#live.delete(seat)) return
    const { browser, publish } = this.#options
    this.#refused += seat.gate.refused
    const held = seat.gate.takeHeldInput()
    seat.gate.close(reason)
    // Whoever comes next must not find a key or a button down.
    void browser.release(held).catch(() => {})
    if (!told) {
      void Promise.resolve()
        .then(() => seat.engine.disconnect())
        .catch(() => {})
    }
    publish('engine_disconnected', { ...seat.driver, reason })
  }

  /** Ends every connection there is, also those on their way in or out. */
  cutAll(reason: string): void {
    for (const seat of [...this.#live]) this.cut(seat, reason)
  }
}
