import type { PageState, SwitchRecord } from '../../shared/contract/engines.ts'
import type { LeaseView } from '../../shared/contract/takeover.ts'
import { type Driver, driverName } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { BrowserPort } from './browser-port.ts'
import { type Engine, within } from './engine.ts'
import type { Freedom } from './engine-link.ts'
import type { Gate } from './gate.ts'
import { Mutex } from './mutex.ts'
import { type NewSwitch, performSwitch } from './switching.ts'

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

export interface ControllerOptions {
  browser: BrowserPort
  lease: () => LeaseView | null
  /** Loads the library; rejects with `install-required` where it is missing. */
  prepare: (driver: Driver) => Promise<() => Engine>
  record: (made: NewSwitch) => SwitchRecord
  publish: Publish
  log: Log
  /** Called after a switch, to look at the page again. */
  recover?: (driver: Driver, before: PageState, runId: string | null) => Promise<void>
  limits?: Partial<typeof defaultTimes>
}

const defaultTimes = {
  /** For any one change of engines. */
  lockMs: 30_000,
  /** For one engine to connect, so that there is time left for the next one. */
  connectMs: 12_000,
  verifyMs: 3000,
  disconnectMs: 2000,
}

/** Connects engines to the browser, at most one at any time, and changes one for another. */
export class SandboxController {
  readonly #options: ControllerOptions
  readonly #times: typeof defaultTimes
  readonly #lock: Mutex
  #seat: Seat | null = null
  /** The connection that a hand-back makes, while the person still has the lease. */
  #handover: Gate | null = null
  /** Whom the engine was taken from. */
  #paused: Driver | null = null
  #operation: AbortController | null = null
  /** Every connection that is not yet ended, also one that is on its way in or out. */
  readonly #live = new Set<Seat>()
  #refused = 0
  #stopped = false

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#times = { ...defaultTimes, ...options.limits }
    this.#lock = new Mutex(this.#times.lockMs)
  }

  get seat(): Seat | null {
    return this.#seat?.gate.open === true ? this.#seat : null
  }

  get state(): 'idle' | 'connected' | 'changing' | 'paused' | 'stopped' {
    if (this.#stopped) return 'stopped'
    if (this.#lock.busy) return 'changing'
    if (this.#paused !== null) return 'paused'
    return this.seat === null ? 'idle' : 'connected'
  }

  get paused(): Driver | null {
    return this.#paused
  }

  get refused(): number {
    return this.#refused + (this.#seat?.gate.refused ?? 0)
  }

  /** Connects an engine where none is, or the same one again. */
  async connect(driver: Driver): Promise<{ seat: Seat; url: string }> {
    const make = await this.#prepare([driver])
    return this.#lock.run('Connecting the engine', async (signal) => {
      this.#mayChange()
      const before = await this.#options.browser.capture()
      await this.#disconnect('another one connects', signal)
      const seat = await this.#open(driver, make, before, signal)
      try {
        await this.#verify(seat, signal)
        signal.throwIfAborted()
      } catch (error) {
        this.#cut(seat, 'it does not see the page')
        throw Problem.from(error, 'engine-failed')
      }
      this.#seat = seat
      return { seat, url: before.url }
    })
  }

  /** Changes the engine, in the eight steps of a switch. */
  async switchTo(
    candidates: readonly Driver[],
    why: { reason: string; detail: string; runId: string | null },
  ): Promise<SwitchRecord> {
    const make = await this.#prepare(candidates)
    const { browser, recover } = this.#options
    const from = this.seat?.driver ?? null
    const made = await this.#lock.run('The switch', async (signal) => {
      this.#mayChange()
      const done = await performSwitch<Seat>(
        { from, candidates, ...why },
        {
          capture: () => within(browser.capture(), signal),
          disconnect: () => this.#disconnect(why.detail, signal),
          alive: () => within(browser.alive(), signal),
          connect: (driver, before) => this.#open(driver, make, before, signal),
          verify: (seat) => this.#verify(seat, signal),
          discard: async (seat, reason) => this.#cut(seat, reason),
          resume: (before) => within(browser.resume(before), signal),
        },
        this.#options.record,
      )
      if (signal.aborted) {
        this.#cut(done.seat, 'the switch was given up')
        throw signal.reason
      }
      this.#seat = done.seat
      return done
    })
    await recover?.(made.driver, made.before, why.runId)
    return made.record
  }

  /** While a person has the lease: connects an engine that only looks, until `give` has ended the lease. */
  async handBack<Result>(driver: Driver, give: () => Result): Promise<Result> {
    const make = await this.#prepare([driver])
    return this.#lock.run('The hand-back', async (signal) => {
      this.#mustRun()
      await this.#disconnect('handed back', signal)
      const before = await within(this.#options.browser.capture(), signal)
      let seat: Seat | undefined
      try {
        seat = await this.#open(driver, make, before, signal, true)
        await this.#verify(seat, signal)
        signal.throwIfAborted()
        this.#seat = seat
        const given = give()
        this.#paused = null
        return given
      } catch (error) {
        if (seat !== undefined) this.#cut(seat, 'the hand-back failed')
        throw error
      } finally {
        this.#handover = null
      }
    })
  }

  /** A person took control: what runs is aborted for good, what only waits stays, behind the filter. */
  async pause(operator: string): Promise<void> {
    const problem = new Problem('held-by-operator', `${operator} took control of the browser.`)
    if (this.#lock.busy) this.#lock.forceRelease(problem)
    const { seat } = this
    if (seat === null) return
    this.#paused = seat.driver
    const held = seat.gate.takeHeldInput()
    if (this.#operation !== null) {
      this.#operation.abort(problem)
      this.#cut(seat, `${operator} took control`)
    }
    await this.#options.browser.release(held).catch(() => {})
  }

  /** Control came back to nobody, or to the engine that was paused; `keep` says only that it stays so. */
  async unpause(policy: 'resume' | 'disconnect' | 'keep'): Promise<void> {
    const driver = this.#paused
    if (policy !== 'keep') this.#paused = null
    if (policy !== 'resume') {
      const { seat } = this
      if (seat !== null) this.#cut(seat, policy === 'keep' ? 'the lease ran out' : 'control was given back to nobody')
    } else if (driver !== null && this.seat === null && !this.#stopped) {
      await this.connect(driver).catch((error: Error) =>
        this.#options.log('warn', 'the paused engine could not be connected again', { reason: error.message }),
      )
    }
  }

  /** Settles when the changes of engines that were begun before are over. */
  async settled(): Promise<void> {
    await this.#lock.run('The wait', async () => {}).catch(() => {})
  }

  /** Runs one operation of the connected engine; does not take the lock. Aborting it cuts the engine's connection. */
  async operate<Result>(
    limitMs: number,
    work: (engine: Engine, signal: AbortSignal, acted: () => number) => Promise<Result>,
  ): Promise<Result> {
    this.#mayChange()
    const { seat } = this
    if (seat === null) throw new Problem('conflict', 'No engine is connected. POST /v1/engine/connect first.')
    if (this.#operation !== null) throw new Problem('conflict', 'An operation is running already. Wait for it.')
    const abort = new AbortController()
    this.#operation = abort
    const timer = setTimeout(
      () => abort.abort(new Problem('timeout', `${driverName(seat.driver)} took more than ${limitMs} ms.`)),
      limitMs,
    )
    try {
      return await within(
        work(seat.engine, abort.signal, () => seat.gate.acted),
        abort.signal,
      )
    } finally {
      clearTimeout(timer)
      if (this.#operation === abort) this.#operation = null
      // Whatever the library still does then, it does without a browser.
      if (abort.signal.aborted) this.#cut(seat, 'its operation was aborted')
    }
  }

  /** Disconnects the engine. By force: at once, and whoever waits for the lock is told so. */
  async release(force: boolean): Promise<{ released: boolean; cancelled: number }> {
    const released = this.seat !== null
    if (!force) {
      await this.#lock.run('The release', (signal) => this.#disconnect('released', signal))
      return { released, cancelled: 0 }
    }
    const cancelled = this.#lock.forceRelease()
    this.#operation?.abort(new Problem('conflict', 'The engine was released by force.'))
    for (const seat of [...this.#live]) this.#cut(seat, 'released by force')
    return { released, cancelled }
  }

  /** The browser is gone, and every connection to it. */
  browserEnded(reason: string): void {
    const problem = new Problem('browser-died', `The browser ended: ${reason}`)
    this.#lock.forceRelease(problem)
    this.#operation?.abort(problem)
    for (const seat of [...this.#live]) this.#cut(seat, 'the browser ended')
    this.#paused = null
  }

  /** Safe to call twice; afterwards every call says that it is stopped. */
  stop(): void {
    this.#stopped = true
    this.browserEnded('the agent is stopping')
  }

  async #prepare(drivers: readonly Driver[]): Promise<Map<Driver, () => Engine>> {
    this.#mustRun()
    const ready = new Map<Driver, () => Engine>()
    for (const [index, driver] of drivers.entries()) {
      try {
        ready.set(driver, await this.#options.prepare(driver))
      } catch (error) {
        // Of those that would only be tried next, one that is not installed is left out.
        if (index === 0) throw error
      }
    }
    return ready
  }

  async #open(
    driver: Driver,
    ready: Map<Driver, () => Engine>,
    before: PageState,
    signal: AbortSignal,
    handover = false,
  ): Promise<Seat> {
    signal.throwIfAborted()
    const make = ready.get(driver)
    if (make === undefined) throw new Problem('install-required', `${driver.engine} is not installed.`)
    const began = performance.now()
    let own: Gate | null = null
    const gate = await this.#options.browser.openGate(`engine ${driverName(driver)}`, () => this.#freedom(own))
    own = gate
    if (signal.aborted) gate.close('it was given up')
    signal.throwIfAborted()
    const engine = make()
    const seat: Seat = { driver, engine, gate, tabId: before.tabId, since: new Date().toISOString(), failures: 0 }
    // Whoever lost the lock on the way out may not have let go yet: never two.
    for (const other of [...this.#live]) this.#cut(other, 'another one connects')
    this.#live.add(seat)
    try {
      if (handover) this.#handover = gate
      const late = AbortSignal.timeout(this.#times.connectMs)
      const limited = AbortSignal.any([signal, late])
      await within(engine.connect(gate.cdpUrl, { tabId: before.tabId, signal: limited }), limited)
      signal.throwIfAborted()
      const durationMs = Math.round(performance.now() - began)
      this.#options.publish('engine_connected', { ...driver, url: before.url, durationMs })
      return seat
    } catch (error) {
      this.#cut(seat, 'it did not connect')
      throw error
    }
  }

  async #verify(seat: Seat, signal: AbortSignal): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(this.#times.verifyMs)])
    const seen = await within(seat.engine.currentUrl(limited), limited)
    const shown = this.#options.browser.url(seat.tabId)
    if (seen !== shown) throw new Error(`it sees ${seen}, and not the page that was left, ${shown}.`)
  }

  async #disconnect(reason: string, signal: AbortSignal): Promise<void> {
    const { seat } = this
    if (seat === null) return
    // Nobody operates it from here on, and a library that hangs is cut off.
    this.#operation?.abort(new Problem('conflict', `The engine was disconnected: ${reason}.`, { replaced: true }))
    this.#seat = null
    try {
      const late = AbortSignal.timeout(this.#times.disconnectMs)
      await within(seat.engine.disconnect(), AbortSignal.any([signal, late]))
      this.#cut(seat, reason, true)
    } catch (error) {
      const fields = { engine: driverName(seat.driver), reason: (error as Error).message }
      this.#options.log('warn', 'an engine did not disconnect by itself', fields)
      this.#cut(seat, reason, true)
    }
  }

  /** Ends a connection at once; the library is told, and not waited for. */
  #cut(seat: Seat, reason: string, told = false): void {
    if (this.#seat === seat) this.#seat = null
    if (!this.#live.delete(seat)) return
    this.#refused += seat.gate.refused
    const held = seat.gate.takeHeldInput()
    seat.gate.close(reason)
    // Whoever comes next must not find a key or a button down.
    void this.#options.browser.release(held).catch(() => {})
    if (!told) {
      void Promise.resolve()
        .then(() => seat.engine.disconnect())
        .catch(() => {})
    }
    this.#options.publish('engine_disconnected', { ...seat.driver, reason })
  }

  #freedom(gate: Gate | null): Freedom {
    const lease = this.#options.lease()
    if (lease === null) return { kind: 'free' }
    return gate !== null && gate === this.#handover ? { kind: 'looking' } : { kind: 'held', operator: lease.operator }
  }

  #mustRun(): void {
    if (this.#stopped) throw new Problem('stopping', 'The sandbox is stopped. Start the agent again.')
    this.#options.browser.require()
  }

  #mayChange(): void {
    this.#mustRun()
    const lease = this.#options.lease()
    if (lease === null) return
    const detail = `${lease.operator} has control of the browser until ${lease.expiresAt}. Wait until it is given back.`
    throw new Problem('held-by-operator', detail, { holder: lease.operator, expiresAt: lease.expiresAt })
  }
}
