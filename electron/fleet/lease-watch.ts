import type { Clock } from '../clock.ts'
import type { LeaseChange, Leases } from './leases.ts'

/** `settled`: what was said of it last is no longer so. */
export type LeaseNews = 'ending' | 'settled' | 'ran_out' | 'lost'

export interface LeaseWatchDeps {
  leases: Pick<Leases, 'ending' | 'forget'>
  clock: Clock
  tell: (machineId: string, news: LeaseNews, leftMs: number) => void
}

/** So long before its end a lease is warned about; a short one at half its time, not from its first second on. */
const warnMs = 60_000
/** The machine says itself that a lease is over; one that cannot be heard is waited for no longer than this. */
const silenceMs = 5000

/** Warns before control that is held here ends, wherever the person looks, and says when it has run out, or was lost. */
export class LeaseWatch {
  readonly #deps: LeaseWatchDeps
  readonly #cancels = new Map<string, () => void>()
  readonly #said = new Map<string, Exclude<LeaseNews, 'settled'>>()

  constructor(deps: LeaseWatchDeps) {
    this.#deps = deps
  }

  isEnding(machineId: string): boolean {
    return this.#said.get(machineId) === 'ending'
  }

  /** Control was taken, kept on, or is over. */
  changed(machineId: string, change: LeaseChange): void {
    this.#cancels.get(machineId)?.()
    this.#cancels.delete(machineId)
    if (this.#said.delete(machineId)) this.#deps.tell(machineId, 'settled', 0)
    const held = change === 'held' ? this.#deps.leases.ending(machineId) : undefined
    if (held !== undefined) this.#wait(machineId, held)
    else if (change === 'ran_out' || change === 'lost') this.#say(machineId, change, 0)
  }

  stop(): void {
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
  }

  #wait(machineId: string, { endsAt, ttlMs }: { endsAt: number; ttlMs: number }): void {
    // Counted by a timer from here on: this computer's clock may be set meanwhile.
    const leftMs = endsAt - this.#deps.clock.now()
    const shortMs = Math.max(0, Math.min(leftMs, warnMs, ttlMs / 2))
    this.#after(machineId, leftMs - shortMs, () => {
      this.#say(machineId, 'ending', shortMs)
      this.#after(machineId, shortMs + silenceMs, () => this.#deps.leases.forget(machineId, 'ran_out'))
    })
  }

  #after(machineId: string, ms: number, act: () => void): void {
    this.#cancels.set(machineId, this.#deps.clock.after(ms, act))
  }

  #say(machineId: string, news: Exclude<LeaseNews, 'settled'>, leftMs: number): void {
    this.#said.set(machineId, news)
    this.#deps.tell(machineId, news, leftMs)
  }
}
