import type { AgentClient } from '../../shared/client/client.ts'
import type { Lease, LeaseView } from '../../shared/contract/takeover.ts'
import { Problem } from '../../shared/errors.ts'
import type { Clock } from '../clock.ts'

/** Five minutes: a form takes less, and a closed laptop does not hold a browser for long. */
export const leaseTtlMs = 5 * 60_000
/** A window reports every activity; the agent hears of it this often. */
export const renewEveryMs = 20_000

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

  async take(machineId: string, client: AgentClient, operator: string, reason: string): Promise<Lease> {
    const lease = await client.call('takeover.take', { operator, reason, ttlMs: leaseTtlMs })
    this.#held.set(machineId, { lease, client, renewedAt: this.#clock.now() })
    this.onChange(machineId)
    return lease
  }

  /** The person is still at it; the agent is told at most every 20 s. */
  async stillHere(machineId: string): Promise<Lease> {
    const held = this.#require(machineId)
    if (this.#clock.now() - held.renewedAt < renewEveryMs) return held.lease
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

  async giveBack(machineId: string, outcome: string, note: string): Promise<void> {
    const { lease, client } = this.#require(machineId)
    try {
      await client.call('takeover.handBack', { leaseId: lease.leaseId, outcome, note }, { timeoutMs: 10_000 })
      this.forget(machineId)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'lease-gone') throw error
      this.forget(machineId)
    }
  }

  /** At the end of the console: what cannot be given back in time runs out by itself. */
  async giveBackAll(): Promise<void> {
    const all = [...this.#held.keys()]
    await Promise.allSettled(all.map((id) => this.giveBack(id, 'console_closed', 'The console was closed.')))
  }

  /** The machine says that the lease is over, or that someone else has one. */
  forget(machineId: string): void {
    if (this.#held.delete(machineId)) this.onChange(machineId)
  }

  #require(machineId: string): Held {
    const held = this.#held.get(machineId)
    if (held === undefined) throw new Problem('lease-gone', 'You do not have control of this browser. Take over again.')
    return held
  }
}
