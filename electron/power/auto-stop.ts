import type { AutoStopView } from '../../shared/domain/power.ts'
import type { MachineRecord } from '../store/machines.ts'

/** People are warned this long before. */
export const warnMs = 5 * 60_000
/** Looks are half a minute apart: after a longer gap this computer slept, and whoever was warned may not have seen it. */
const unseenMs = 2 * 60_000
/** What "keep it up" gives. */
export const keepUpMs = 60 * 60_000

/** Why a machine counts as busy, in words for the audit; undefined when it is idle, null when nobody can tell. */
export type BusyReason = string | undefined | null

export interface IdleFacts {
  activeJobs: number
  openTerminals: number
  leaseHolder: string | null
  deploying: boolean
}

/** Idle is: no active job, no open terminal, no lease, no deploy. */
export function busyReason(facts: IdleFacts | undefined): BusyReason {
  if (facts === undefined) return null
  if (facts.activeJobs > 0) return `${facts.activeJobs} active ${facts.activeJobs === 1 ? 'job' : 'jobs'}`
  if (facts.openTerminals > 0) return 'an open terminal'
  if (facts.leaseHolder !== null) return `${facts.leaseHolder} has control`
  if (facts.deploying) return 'a deploy'
  return undefined
}

export type AutoStopDecision =
  | { kind: 'none' }
  | { kind: 'warn'; stopsAt: number; reason: string }
  | { kind: 'stop'; reason: string }

/** Counts how long one machine has been idle, and decides. It never decides on what it does not know. */
export class AutoStop {
  #idleSince: number | undefined
  #warnedFor: number | undefined
  #lookedAt: number | undefined

  /** With each look at the machine. */
  look(options: {
    enabled: boolean
    idleMinutes: number
    keepUntil: number | undefined
    busy: BusyReason
    now: number
  }): AutoStopDecision {
    const { enabled, idleMinutes, keepUntil, busy, now } = options
    if (this.#lookedAt !== undefined && now - this.#lookedAt > unseenMs) this.#warnedFor = undefined
    this.#lookedAt = now
    if (!enabled || busy !== undefined) {
      this.reset()
      return { kind: 'none' }
    }
    this.#idleSince ??= now
    if (keepUntil !== undefined && keepUntil > now) return { kind: 'none' }
    const stopsAt = this.stopsAt(idleMinutes, keepUntil)
    const reason = `idle for ${Math.round((now - this.#idleSince) / 60_000)} min: no job, no terminal, nobody in control, no deploy`
    // Nobody is switched off unwarned, even when the minutes ran out while no console looked.
    const warned = this.#warnedFor !== undefined
    if (warned && now >= Math.max(stopsAt, this.#warnedFor ?? 0)) return { kind: 'stop', reason }
    if (warned || stopsAt - now > warnMs) return { kind: 'none' }
    this.#warnedFor = Math.max(stopsAt, now + warnMs)
    return { kind: 'warn', stopsAt: this.#warnedFor, reason }
  }

  /** Someone was there, or said so: the count begins anew. */
  reset(): void {
    this.#idleSince = undefined
    this.#warnedFor = undefined
  }

  view(kept: Pick<MachineRecord, 'autoStopEnabled' | 'idleMinutes' | 'keepUpUntil'>): AutoStopView {
    const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
    const { autoStopEnabled: enabled, idleMinutes, keepUpUntil: keepUntil } = kept
    return { enabled, idleMinutes, keepUntil, idleSince: iso(this.#idleSince), stopsAt: iso(this.#warnedFor) }
  }

  stopsAt(idleMinutes: number, keepUntil: number | undefined): number {
    const idle = (this.#idleSince ?? 0) + idleMinutes * 60_000
    return Math.max(idle, keepUntil ?? 0)
  }
}
