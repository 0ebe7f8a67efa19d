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
import { type Seat, Seats } from './seats.ts'
import { type NewSwitch, performSwitch } from './switching.ts'

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
  ...{ connectMs: 12_000, verifyMs: 3000, disconnectMs: 2000 },
}

/** Connects engines to the browser, at most one at any time, and changes one for another. */
export class SandboxController {
  readonly #options: ControllerOptions
  readonly #lock: Mutex
  readonly #seats: Seats
  /** The connection that a hand-back makes, while the person still has the lease. */
  #handover: Gate | null = null
  /** Whom the engine was taken from. */
  #paused: Driver | null = null
  #operation: AbortController | null = null
  #stopped = false

  constructor(options: ControllerOptions) {
    this.#options = options
    const times = { ...defaultTimes, ...options.limits }
    const { browser, publish, log } = options
    this.#lock = new Mutex(times.lockMs)
    this.#seats = new Seats({ browser, publish, log, times, freedom: (gate) => this.#freedom(gate) })
  }

  get seat(): Seat | null {
    return this.#seats.current
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
    return this.#seats.refused
  }

  /** Connects an engine where none is, or the same one again. */
  async connect(driver: Driver): Promise<{ seat: Seat; url: string }> {
    const { era } = this
    const make = await this.#prepare([driver])
    return this.#lock.runIn(era, 'Connecting the engine', async (signal) => {
      this.#mayChange()
      const before = await this.#options.browser.capture()
      await this.#disconnect('another one connects', signal)
      const seat = await this.#seats.open(driver, make, before, signal).catch((error: unknown) => {
        throw notConnected(driver, error)
      })
      try {
        await this.#seats.verify(seat, signal)
        signal.throwIfAborted()
      } catch (error) {
        this.#seats.cut(seat, 'it does not see the page')
        throw notConnected(driver, error)
      }
      this.#seats.take(seat)
      return { seat, url: before.url }
    })
  }

  /** What a change that is made ready now belongs to: a release by force ends those of before. */
  get era(): number {
    return this.#lock.era
  }

  /** Changes the engine, in the eight steps of a switch. */
  async switchTo(
    candidates: readonly Driver[],
    why: { reason: string; detail: string; runId: string | null },
    era = this.era,
  ): Promise<SwitchRecord> {
    const make = await this.#prepare(candidates)
    const { browser, recover } = this.#options
    const from = this.seat?.driver ?? null
    const made = await this.#lock.runIn(era, 'The switch', async (signal) => {
      this.#mayChange()
      const done = await performSwitch<Seat>(
        { from, candidates, ...why },
        {
          capture: () => within(browser.capture(), signal),
          disconnect: () => this.#disconnect(why.detail, signal),
          alive: () => within(browser.alive(), signal),
          connect: (driver, before) => this.#seats.open(driver, make, before, signal),
          verify: (seat) => this.#seats.verify(seat, signal),
          discard: async (seat, reason) => this.#seats.cut(seat, reason),
          resume: (before) => within(browser.resume(before), signal),
        },
        this.#options.record,
      )
      if (signal.aborted) {
        this.#seats.cut(done.seat, 'the switch was given up')
        throw signal.reason
      }
      this.#seats.take(done.seat)
      return done
    })
    await recover?.(made.driver, made.before, why.runId)
    return made.record
  }

  /**
   * While a person has the lease: connects an engine that only looks, until `give` has ended the lease. `check` throws
   * when that is over by the time it is this call's turn: the engine of whoever was first stays.
   */
  async handBack<Result>(driver: Driver, give: () => Result, check = () => {}): Promise<Result> {
    const { era } = this
    const make = await this.#prepare([driver])
    return this.#lock.runIn(era, 'The hand-back', async (signal) => {
      this.#mustRun()
      check()
      await this.#disconnect('handed back', signal)
      const before = await within(this.#options.browser.capture(), signal)
      let seat: Seat | undefined
      try {
        seat = await this.#seats.open(driver, make, before, signal, (gate) => {
          this.#handover = gate
        })
        await this.#seats.verify(seat, signal)
        signal.throwIfAborted()
        this.#seats.take(seat)
        const given = give()
        this.#paused = null
        return given
      } catch (error) {
        if (seat !== undefined) this.#seats.cut(seat, 'the hand-back failed')
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
      this.#seats.cut(seat, `${operator} took control`)
    }
    await this.#options.browser.release(held).catch(() => {})
  }

  /** Control came back to nobody, or to the engine that was paused; `keep` says only that it stays so. */
  async unpause(policy: 'resume' | 'disconnect' | 'keep'): Promise<void> {
    const driver = this.#paused
    if (policy !== 'keep') this.#paused = null
    if (policy !== 'resume') {
      const { seat } = this
      if (seat !== null)
        this.#seats.cut(seat, policy === 'keep' ? 'the lease ran out' : 'control was given back to nobody')
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
      if (abort.signal.aborted) this.#seats.cut(seat, 'its operation was aborted')
    }
  }

  /** Disconnects the engine. By force: at once, and whoever waits for the lock is told so. */
  async release(force: boolean): Promise<{ released: boolean; cancelled: number }> {
    const released = this.seat !== null
    if (!force) {
      if (this.#stopped) throw stoppedProblem()
      await this.#lock.run('The release', (signal) => this.#disconnect('released', signal))
      return { released, cancelled: 0 }
    }
    const cancelled = this.#lock.forceRelease()
    this.#operation?.abort(new Problem('conflict', 'The engine was released by force.'))
    this.#seats.cutAll('released by force')
    return { released, cancelled }
  }

  /** The browser is gone, and every connection to it. */
  browserEnded(reason: string): void {
    const problem = new Problem('browser-died', `The browser ended: ${reason}`)
    this.#lock.forceRelease(problem)
    this.#operation?.abort(problem)
    this.#seats.cutAll('the browser ended')
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

  async #disconnect(reason: string, signal: AbortSignal): Promise<void> {
    const { seat } = this
    if (seat === null) return
    // Nobody operates it from here on, and a library that hangs is cut off.
    this.#operation?.abort(new Problem('conflict', `The engine was disconnected: ${reason}.`, { replaced: true }))
    await this.#seats.leave(seat, reason, signal)
  }

  #freedom(gate: Gate | null): Freedom {
    const lease = this.#options.lease()
    if (lease === null) return { kind: 'free' }
    return gate !== null && gate === this.#handover ? { kind: 'looking' } : { kind: 'held', operator: lease.operator }
  }

  #mustRun(): void {
    if (this.#stopped) throw stoppedProblem()
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

/** Whatever a library throws is a failure of that engine; what is a problem already says more. */
function notConnected(driver: Driver, error: unknown): Problem {
  if (error instanceof Problem) return error
  const why = error instanceof Error ? error.message : String(error)
  const detail = `${driverName(driver)} could not be connected: ${why.replace(/\.$/, '')}. Try again, or connect another one.`
  return new Problem('engine-failed', detail, {}, { cause: error })
}

function stoppedProblem(): Problem {
  return new Problem('stopping', 'The sandbox is stopped. Start the agent again.')
}
