import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditAction } from '../../shared/contract/audit-actions.ts'
import type { EventData } from '../../shared/contract/index.ts'
import type { Lease, LeaseView } from '../../shared/contract/takeover.ts'
import { Problem } from '../../shared/errors.ts'
import type { Publish } from '../events/publish.ts'

/** What the agent does by itself, without a call, stands in the audit log as well. */
export interface SystemAudit {
  recordSystem(action: AuditAction, details: Record<string, unknown>): void
}

interface Held {
  id: string
  view: LeaseView
  ttlMs: number
  takenMs: number
  expiresMs: number
  timer: NodeJS.Timeout
}

export interface LeaseServiceOptions {
  publish: Publish
  audit: SystemAudit
  /** Throws `not-active` when there is nothing to take over. */
  requireBrowser: () => void
  /** Settles when the page in front shows a dialog: whoever acts on it is answered only after that. */
  untilDialog?: (over: AbortSignal) => Promise<void>
}

/** How long a takeover waits for what others had begun. A page that hangs must not keep a person out. */
export const restMs = 1000

type Change = EventData['takeover_lease']['change']

/** What the holder says when giving control back. */
export interface HandedBack {
  to: string
  outcome: string
  note: string
}

/** How a lease ended: given back, run out, or gone with the browser. */
export interface LeaseEnd {
  change: 'handed_back' | 'expired' | 'ended'
  operator: string
  heldMs: number
  handedBack: HandedBack | null
}

/** Who may act on the browser: one person at a time, for a limited time. */
export class LeaseService {
  readonly #options: LeaseServiceOptions
  readonly #endListeners = new Set<(end: LeaseEnd) => void>()
  readonly #takenListeners = new Set<() => Promise<unknown>>()
  #stopping: Promise<unknown> = Promise.resolve()
  #held: Held | null = null
  /** Whose lease ran out and left the browser paused. */
  #pausedAfter: LeaseView | null = null

  constructor(options: LeaseServiceOptions) {
    this.#options = options
  }

  /** What everyone may know of the lease in force; null when nobody has control. */
  get current(): LeaseView | null {
    return this.#inForce()?.view ?? null
  }

  /**
   * Whom everyone else has to keep away for: the holder of the lease, or, where a lease that runs out keeps the
   * browser paused, whoever held the last one.
   */
  get standing(): LeaseView | null {
    return this.current ?? this.#pausedAfter
  }

  /** The browser stays as it was left, for every engine and controller, until a person takes and gives back control. */
  keepPaused(operator: string): void {
    const at = iso(Date.now())
    const who = `Since the lease of ${operator} ran out the browser is paused and nobody`
    this.#pausedAfter = { operator: who, reason: '', takenAt: at, expiresAt: 'someone takes and gives back control' }
  }

  take(params: { operator: string; reason: string; ttlMs: number }): Lease {
    this.#options.requireBrowser()
    const holder = this.#inForce()?.view
    if (holder !== undefined) {
      const detail = `${holder.operator} has control until ${holder.expiresAt}. Ask them to give it back, or wait.`
      throw new Problem('lease-held', detail, { holder: holder.operator, expiresAt: holder.expiresAt })
    }
    this.#pausedAfter = null
    const now = Date.now()
    const { operator, reason, ttlMs } = params
    const view = { operator, reason, takenAt: iso(now), expiresAt: iso(now + ttlMs) }
    const id = randomBytes(24).toString('base64url')
    this.#held = { id, view, ttlMs, takenMs: now, expiresMs: now + ttlMs, timer: this.#timer(ttlMs) }
    this.#stopping = this.#stopOthers()
    this.#publish('taken')
    return { ...view, leaseId: id }
  }

  /** Settles when whoever acted before the lease was taken has come to rest, or a page keeps it from being known. */
  async othersStopped(): Promise<void> {
    await this.#stopping
  }

  /**
   * Calls back at the moment a lease is taken; what it returns settles when nothing that was begun before can still
   * reach the page. Returns what stops that.
   */
  onTaken(listener: () => Promise<unknown>): () => void {
    this.#takenListeners.add(listener)
    return () => this.#takenListeners.delete(listener)
  }

  async #stopOthers(): Promise<void> {
    const all = Promise.allSettled([...this.#takenListeners].map((listener) => listener()))
    const over = new AbortController()
    const late = sleep(restMs, undefined, { signal: over.signal, ref: false }).catch(() => {})
    const dialog = this.#options.untilDialog?.(over.signal)
    await Promise.race([all, late, ...(dialog === undefined ? [] : [dialog])])
    over.abort()
  }

  /** Keeps control for as long again as it was taken for. */
  renew(leaseId: string): Lease {
    const held = this.#require(leaseId)
    clearTimeout(held.timer)
    held.expiresMs = Date.now() + held.ttlMs
    held.view = { ...held.view, expiresAt: iso(held.expiresMs) }
    held.timer = this.#timer(held.ttlMs)
    this.#publish('renewed')
    return { ...held.view, leaseId: held.id }
  }

  /** The lease as it stands, for whoever holds it; `lease-gone` for anyone else. */
  check(leaseId: string): LeaseView {
    return this.#require(leaseId).view
  }

  handBack(leaseId: string, handedBack: HandedBack | null = null): { operator: string; heldMs: number } {
    const held = this.#require(leaseId)
    this.#end('handed_back', handedBack)
    return { operator: held.view.operator, heldMs: Date.now() - held.takenMs }
  }

  /** The browser went away: there is nothing left to hold. */
  browserEnded(reason: string): void {
    const held = this.#inForce()
    this.#pausedAfter = null
    if (held === null) return
    this.#end('ended')
    this.#audit(held, 'the browser ended', { reason })
  }

  /** Whether this is the id of the lease in force. Compared in constant time. */
  isHeldBy(leaseId: string | undefined): boolean {
    const held = this.#inForce()
    return held !== null && leaseId !== undefined && sameText(held.id, leaseId)
  }

  /** Calls back whenever a lease has ended, however it did; returns what stops that. */
  onEnd(listener: (end: LeaseEnd) => void): () => void {
    this.#endListeners.add(listener)
    return () => this.#endListeners.delete(listener)
  }

  close(): void {
    if (this.#held !== null) clearTimeout(this.#held.timer)
  }

  #require(leaseId: string): Held {
    const held = this.#inForce()
    if (held !== null && sameText(held.id, leaseId)) return held
    const now = held === null ? 'Nobody has control now.' : `${held.view.operator} has control now.`
    throw new Problem('lease-gone', `That lease has ended. ${now} Take control again to go on.`)
  }

  /** Looked at with the clock as well: a machine that was asleep wakes with timers that are late. */
  #inForce(): Held | null {
    if (this.#held !== null && Date.now() >= this.#held.expiresMs) this.#expire(this.#held)
    return this.#held
  }

  #timer(ttlMs: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#timeUp(), ttlMs)
    timer.unref()
    return timer
  }

  #timeUp(): void {
    const held = this.#inForce()
    if (held === null) return
    // Timers may fire a millisecond early, and the clock may have been set back: never beyond what was asked for.
    const left = Math.min(held.expiresMs - Date.now(), held.ttlMs)
    if (left > clockSlackMs) this.#expire(held)
    else held.timer = this.#timer(left)
  }

  #expire(held: Held): void {
    this.#end('expired')
    this.#audit(held, 'the lease was not renewed', {})
  }

  #end(change: LeaseEnd['change'], handedBack: HandedBack | null = null): void {
    const held = this.#held
    if (held === null) return
    clearTimeout(held.timer)
    this.#held = null
    this.#publish(change)
    const end = { change, operator: held.view.operator, heldMs: Date.now() - held.takenMs, handedBack }
    for (const listener of this.#endListeners) listener(end)
  }

  #publish(change: Change): void {
    this.#options.publish('takeover_lease', { change, lease: this.#held?.view ?? null })
  }

  #audit(held: Held, why: string, details: Record<string, unknown>): void {
    const { operator, takenAt } = held.view
    this.#options.audit.recordSystem('hand_back', {
      operator,
      why,
      takenAt,
      heldMs: Date.now() - held.takenMs,
      ...details,
    })
  }
}

/** A timer that fires with more than this left means that the clock was set back meanwhile. */
const clockSlackMs = 50

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
