import type { AgentClient } from '../../shared/client/client.ts'
import type { Lease, LeaseView } from '../../shared/contract/takeover.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import { Problem } from '../../shared/errors.ts'
import type { Clock } from '../clock.ts'

/** A window reports every activity; the agent hears of it this often, and of a lease under a minute sooner. */
export const renewEveryMs = 20_000
const renewalsPerLease = 3

/** An engine's library connects and reads the page before control is its own. */
const engineMs = 60_000

export interface TakeWish {
  operator: string
  ttlMs: number
  reason?: string
}

/** What a person says when giving control back. */
export interface Given {
  outcome: string
  note: string
  handBackTo?: 'none' | 'stagehand' | 'magnitude'
  mode?: 'dom' | 'cua' | undefined
}

/** `ran_out`: nobody gave it back. `lost`: the browser, or the agent, ended under it. */
export type LeaseChange = 'held' | 'over' | 'ran_out' | 'lost'

interface Held {
  lease: Lease
  client: AgentClient
  /** As long as it was taken for, and as each renewal makes it again. */
  ttlMs: number
  renewedAt: number
  /** By this computer's clock: the machine's may say anything. */
  endsAt: number
  /** It was given back, and no answer came: the machine may have taken it. */
  mayBeBack?: boolean
  /** It is being given back: what the machine says of it meanwhile is no news. */
  goesBack?: boolean
}

/** What a call ends with whose answer was lost on the way. */
const unanswered = new Set(['unreachable', 'timeout'])

/** The leases this console holds. Their ids never leave main. */
export class Leases {
  readonly #held = new Map<string, Held>()
  readonly #clock: Clock
  onChange: (machineId: string, change: LeaseChange) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a lease that a machine reports is the one held here: ids are not shown, so it is told by its time. */
  isMine(machineId: string, lease: LeaseView): boolean {
    const held = this.#held.get(machineId)?.lease
    return held !== undefined && held.takenAt === lease.takenAt && held.operator === lease.operator
  }

  leaseId(machineId: string): string | undefined {
    return this.#held.get(machineId)?.lease.leaseId
  }

  /** When the lease held here ends unless it is renewed, by this computer's clock, and how long it lasts from the start. */
  ending(machineId: string): { endsAt: number; ttlMs: number } | undefined {
    return this.#held.get(machineId)
  }

  /** A lease that a machine reports, as a window is shown it: the end of an own one is told in this computer's time. */
  shown(machineId: string, lease: LeaseView): NonNullable<MachineView['lease']> {
    const held = this.#held.get(machineId)
    if (held === undefined || !this.isMine(machineId, lease)) return { ...lease, mine: false }
    return { ...lease, mine: true, expiresAt: iso(held.endsAt) }
  }

  /** Returns when it ends, by this computer's clock. */
  async take(machineId: string, client: AgentClient, { reason, ...wish }: TakeWish): Promise<string> {
    const params = { ...wish, reason: reason ?? '' }
    return this.#keep(machineId, client, wish, () => client.call('takeover.take', params))
  }

  /** Answers a machine's call for help; returns as `take` does. */
  async accept(machineId: string, client: AgentClient, requestId: string, wish: TakeWish): Promise<string> {
    const params = { id: requestId, operator: wish.operator, ttlMs: wish.ttlMs }
    return this.#keep(machineId, client, wish, () => client.call('takeover.accept', params))
  }

  /** The person is still at it; the agent is told at most every 20 s, unless they said so themselves. */
  async stillHere(machineId: string, said = false): Promise<string> {
    const held = this.#require(machineId)
    const now = this.#clock.now()
    const since = now - held.renewedAt
    // Less than nothing: this computer's clock was set back, and says no more how long it was.
    const lately = since >= 0 && since < Math.min(renewEveryMs, held.ttlMs / renewalsPerLease)
    if (!said && lately) return iso(held.endsAt)
    const before = held.renewedAt
    held.renewedAt = now
    try {
      held.lease = await held.client.call('takeover.renew', { leaseId: held.lease.leaseId })
      held.endsAt = now + held.ttlMs
      if (this.#held.get(machineId) === held) this.onChange(machineId, 'held')
      return iso(held.endsAt)
    } catch (error) {
      held.renewedAt = before
      const isGone = error instanceof Problem && error.code === 'lease-gone'
      if (isGone && this.#held.get(machineId) === held) this.forget(machineId, 'ran_out')
      throw error
    }
  }

  /** Returns how long it took until an engine may act; null where it went to none. */
  async giveBack(machineId: string, given: Given): Promise<number | null> {
    const held = this.#require(machineId)
    const { lease, client } = held
    held.goesBack = true
    const toEngine = (given.handBackTo ?? 'none') !== 'none'
    try {
      const params = { ...given, leaseId: lease.leaseId }
      const answer = await client.call('takeover.handBack', params, { timeoutMs: toEngine ? engineMs : 10_000 })
      this.forget(machineId)
      return answer.toActingMs ?? null
    } catch (error) {
      held.goesBack = false
      const { code } = Problem.from(error)
      if (code !== 'lease-gone') {
        held.mayBeBack ||= unanswered.has(code)
        throw error
      }
      const isBack = held.mayBeBack === true
      if (this.#held.get(machineId) === held) this.forget(machineId, isBack ? 'over' : 'ran_out')
      if (isBack) return null
      // What was said went to nobody, and is not to be thought of as kept.
      throw error
    }
  }

  /** At the end of the console: what cannot be given back in time runs out by itself. */
  async giveBackAll(): Promise<void> {
    const all = [...this.#held.keys()]
    await Promise.allSettled(
      all.map((id) => this.giveBack(id, { outcome: 'console_closed', note: 'The console was closed.' })),
    )
  }

  /** The machine says that a lease ended at this moment of its own clock: it may be one from before this one. */
  ended(machineId: string, at: string, change: Exclude<LeaseChange, 'held'>): void {
    const held = this.#held.get(machineId)
    if (held === undefined || Date.parse(at) < Date.parse(held.lease.takenAt)) return
    this.forget(machineId, change)
  }

  /** The machine says that the lease is over, or that someone else has one. */
  forget(machineId: string, change: Exclude<LeaseChange, 'held'> = 'over'): void {
    const held = this.#held.get(machineId)
    if (held === undefined) return
    this.#held.delete(machineId)
    const isBack = held.goesBack === true || held.mayBeBack === true
    this.onChange(machineId, change === 'lost' && isBack ? 'over' : change)
  }

  async #keep(machineId: string, client: AgentClient, wish: TakeWish, ask: () => Promise<Lease>): Promise<string> {
    // Counted from before the question: it cannot have begun earlier, so that nobody is promised too much.
    const asked = this.#clock.now()
    const lease = await ask()
    const ttlMs = lengthOf(lease, wish.ttlMs)
    const endsAt = asked + ttlMs
    this.#held.set(machineId, { lease, client, ttlMs, renewedAt: this.#clock.now(), endsAt })
    this.onChange(machineId, 'held')
    return iso(endsAt)
  }

  #require(machineId: string): Held {
    const held = this.#held.get(machineId)
    if (held === undefined) throw new Problem('lease-gone', 'You do not have control of this browser. Take over again.')
    return held
  }
}

/** Both ends are told by the machine's clock: how far apart they are is true whatever it says. */
function lengthOf({ takenAt, expiresAt }: Lease, wanted: number): number {
  const told = Date.parse(expiresAt) - Date.parse(takenAt)
  return told > 0 ? Math.min(told, wanted) : wanted
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
