import type { Lease } from '../../shared/contract/takeover.ts'
import type { Driver } from '../../shared/domain/switch-criteria.ts'
import { Problem } from '../../shared/errors.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { LeaseEnd, LeaseService } from './lease.service.ts'
import type { TakeoverRequests } from './requests.service.ts'

/** The engines, as far as a change of hand concerns them. */
export interface EngineSide {
  pause(operator: string): Promise<void>
  unpause(policy: 'resume' | 'disconnect' | 'keep'): Promise<void>
  /** Connects an engine that sees the page, then has `give` end the lease; `check` throws where that is over before. */
  handBack<Result>(driver: Driver, give: () => Result, check: () => void): Promise<Result>
}

export interface TakeoverTimes {
  operator: string
  requestId: string | null
  outcome: string
  note: string
  handedBackTo: string
  heldMs: number
  requestToAcceptedMs: number | null
  acceptedToControlMs: number | null
  handBackToActingMs: number | null
}

export interface TakeoversOptions {
  leases: LeaseService
  requests: TakeoverRequests
  engines: EngineSide
  /** What becomes of the browser when a lease runs out. */
  expiry: 'hand_back' | 'keep_paused'
  /** Returns the number under which it is found again. */
  keep: (times: TakeoverTimes) => number
  publish: Publish
  log: Log
}

interface Held {
  requestId: string | null
  requestToAcceptedMs: number | null
  acceptedMs: number
  acceptedToControlMs: number | null
  handBackBegan: number | null
}

const nothing = { outcome: null, note: null, handedBackTo: null, handBackToActingMs: null }

/** The browser changes hands: from an engine to a person and back, each change measured. */
export class Takeovers {
  readonly #options: TakeoversOptions
  #held: Held | null = null
  /** The request that is being accepted; null when control is just taken. */
  #accepting: string | null = null

  constructor(options: TakeoversOptions) {
    this.#options = options
    const { leases, requests, engines } = options
    leases.onTaken(async () => {
      const operator = leases.current?.operator ?? 'Someone'
      const request = requests.leaseTaken(operator, this.#accepting)
      this.#held = {
        requestId: request?.id ?? null,
        requestToAcceptedMs: request?.waitedMs ?? null,
        ...{ acceptedMs: performance.now(), acceptedToControlMs: null, handBackBegan: null },
      }
      await engines.pause(operator)
    })
    // Whoever has control already is the one who is asked: nobody could accept it.
    requests.onRaised = (id) => {
      const { current } = leases
      if (current === null || this.#held === null || this.#held.requestId !== null) return
      const request = requests.leaseTaken(current.operator, id)
      this.#held.requestId = request?.id ?? null
      this.#held.requestToAcceptedMs = request?.waitedMs ?? null
    }
    leases.onEnd((end) => {
      this.#ended(end).catch((error: Error) => {
        options.log('error', 'a takeover ended, and not all that follows was done', { reason: error.message })
      })
    })
  }

  /** Takes control; when it resolves, nothing that was begun by an engine can still reach the page. */
  async take(
    params: { operator: string; reason: string; ttlMs: number },
    requestId: string | null = null,
  ): Promise<Lease> {
    const { leases, publish } = this.#options
    this.#accepting = requestId
    const lease = leases.take(params)
    const held = this.#held
    await leases.othersStopped()
    if (held !== null && held === this.#held) {
      held.acceptedToControlMs = rounded(performance.now() - held.acceptedMs)
      const { requestId, requestToAcceptedMs, acceptedToControlMs } = held
      const times = { requestId, requestToAcceptedMs, acceptedToControlMs }
      publish('human_takeover', { change: 'began', operator: lease.operator, ...nothing, ...times })
    }
    return lease
  }

  /** Gives control to an engine that has proved that it sees the page, or to nobody. On failure the person keeps it. */
  async handBack(
    leaseId: string,
    to: Driver | null,
    said: { outcome: string; note: string },
  ): Promise<{ operator: string; heldMs: number; toActingMs: number | null }> {
    const { leases, engines } = this.#options
    leases.check(leaseId)
    const began = performance.now()
    const give = () => {
      if (this.#held !== null) this.#held.handBackBegan = began
      return leases.handBack(leaseId, { to: to?.engine ?? 'none', ...said })
    }
    if (to === null) return { ...give(), toActingMs: null }
    try {
      const given = await engines.handBack(to, give, () => void leases.check(leaseId))
      return { ...given, toActingMs: rounded(performance.now() - began) }
    } catch (error) {
      const problem = Problem.from(error, 'engine-failed')
      if (!leases.isHeldBy(leaseId)) throw problem
      throw new Problem(problem.code, `${problem.message} You keep control.`, problem.extra, { cause: error })
    }
  }

  async #ended({ change, operator, heldMs, handedBack }: LeaseEnd): Promise<void> {
    const { requests, engines, publish, expiry, leases } = this.#options
    const keepsPaused = change === 'expired' && expiry === 'keep_paused'
    // In the same moment: nothing that waited for the end of the lease may get in between.
    if (keepsPaused) leases.keepPaused(operator)
    const held = this.#held
    this.#held = null
    const toEngine = change === 'handed_back' && handedBack !== null && handedBack.to !== 'none'
    const kept: TakeoverTimes = {
      ...{ operator, heldMs },
      requestId: held?.requestId ?? null,
      outcome: handedBack?.outcome ?? change,
      note: handedBack?.note ?? '',
      handedBackTo: handedBack?.to ?? 'none',
      requestToAcceptedMs: held?.requestToAcceptedMs ?? null,
      acceptedToControlMs: held?.acceptedToControlMs ?? null,
      handBackToActingMs:
        toEngine && held !== null && held.handBackBegan !== null
          ? rounded(performance.now() - held.handBackBegan)
          : null,
    }
    publish('human_takeover', { change: 'ended', ...kept, ...this.#keep(kept) })
    requests.leaseEnded({ change, operator, heldMs, handedBack })
    if (toEngine || change === 'ended') return
    await engines.unpause(keepsPaused ? 'keep' : change === 'expired' ? 'resume' : 'disconnect')
  }

  /** A disk that takes nothing costs the record, and not what follows the end of a lease. */
  #keep(kept: TakeoverTimes): { takeoverId?: number } {
    try {
      return { takeoverId: this.#options.keep(kept) }
    } catch (error) {
      this.#options.log('error', 'a takeover could not be recorded', { reason: String(error) })
      return {}
    }
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
