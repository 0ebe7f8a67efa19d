import type { AgentClient } from '../../shared/client/client.ts'
import type { Lease, LeaseView } from '../../shared/contract/takeover.ts'
import { Problem } from '../../shared/errors.ts'
import type { Clock } from '../clock.ts'

/** A window reports every activity; the agent hears of it this often. */
export const renewEveryMs = 20_000

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

interface Held {
  lease: Lease
  client: AgentClient
  renewedAt: number
}

/** The leases this console holds. Their ids never leave main. */
export class Leases {
  readonly #held = new Map<string, Held>()
  readonly #clock: Clock
  onChange: (machineId: string) => void = () => {}

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

  async take(machineId: string, client: AgentClient, { reason, ...wish }: TakeWish): Promise<Lease> {
    return this.#keep(machineId, client, await client.call('takeover.take', { ...wish, reason: reason ?? '' }))
  }

  /** Answers a machine's call for help. */
  async accept(machineId: string, client: AgentClient, requestId: string, wish: TakeWish): Promise<Lease> {
    const { operator, ttlMs } = wish
    return this.#keep(machineId, client, await client.call('takeover.accept', { id: requestId, operator, ttlMs }))
  }

  /** The person is still at it; the agent is told at most every 20 s, unless they said so themselves. */
  async stillHere(machineId: string, said = false): Promise<Lease> {
    const held = this.#require(machineId)
    if (!said && this.#clock.now() - held.renewedAt < renewEveryMs) return held.lease
    const before = held.renewedAt
    held.renewedAt = this.#clock.now()
    try {
      held.lease = await held.client.call('takeover.renew', { leaseId: held.lease.leaseId })
      return held.lease
    } catch (error) {
      held.renewedAt = before
      if (error instanceof Problem && error.code === 'lease-gone') this.forget(machineId)
      throw error
    }
  }

  /** Returns how long it took until an engine may act; null where it went to none. */
  async giveBack(machineId: string, given: Given): Promise<number | null> {
    const { lease, client } = this.#require(machineId)
    const toEngine = (given.handBackTo ?? 'none') !== 'none'
    try {
      const params = { ...given, leaseId: lease.leaseId }
      const answer = await client.call('takeover.handBack', params, { timeoutMs: toEngine ? engineMs : 10_000 })
      this.forget(machineId)
      return answer.toActingMs ?? null
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'lease-gone') throw error
      this.forget(machineId)
      return null
    }
  }

  /** At the end of the console: what cannot be given back in time runs out by itself. */
  async giveBackAll(): Promise<void> {
    const all = [...this.#held.keys()]
    await Promise.allSettled(
      all.map((id) => this.giveBack(id, { outcome: 'console_closed', note: 'The console was closed.' })),
    )
  }

  /** The machine says that the lease is over, or that someone else has one. */
  forget(machineId: string): void {
    if (this.#held.delete(machineId)) this.onChange(machineId)
  }

  #keep(machineId: string, client: AgentClient, lease: Lease): Lease {
    this.#held.set(machineId, { lease, client, renewedAt: this.#clock.now() })
    this.onChange(machineId)
    return lease
  }

  #require(machineId: string): Held {
    const held = this.#held.get(machineId)
    if (held === undefined) throw new Problem('lease-gone', 'You do not have control of this browser. Take over again.')
    return held
  }
}
