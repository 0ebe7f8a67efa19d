import type { AgentEvent } from '../../shared/contract/index.ts'
import type { Clock } from '../clock.ts'

/**
 * How long ago an event of one machine happened. Times of two computers are never compared: a clock that is wrong by
 * minutes is common, and nobody notices.
 */
export class EventAge {
  readonly #clock: Clock
  /** When this console last knew everything that had happened there. */
  #knewAllAt = Number.NaN
  #opened = { seq: 0, time: Number.NaN, cutMs: Number.POSITIVE_INFINITY }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The machine's events flow, from `since` on; what it says first has its own time, unless its agent is older. */
  opened({ seq, time }: { seq: number; time?: string | undefined }, since: number): void {
    const cutMs = this.#clock.now() - this.#knewAllAt
    // Less than nothing: this computer's clock was set back meanwhile.
    this.#opened = { seq, time: Date.parse(time ?? ''), cutMs: cutMs >= 0 ? cutMs : Number.POSITIVE_INFINITY }
    if (since >= seq) this.knowsAll()
  }

  /** Nothing that happened there before this moment is still to come. */
  knowsAll(): void {
    this.#knewAllAt = this.#clock.now()
  }

  /** 0 for what happens now. What is told again after a cut is as old as its machine says, and no older than the cut was long. */
  heard({ seq, time }: Pick<AgentEvent, 'seq' | 'time'>): number {
    const { seq: last, time: toldAt, cutMs } = this.#opened
    if (seq > last) {
      this.knowsAll()
      return 0
    }
    const told = toldAt - Date.parse(time)
    // Later than now: the machine's clock was set back meanwhile, and only the cut is left to go by.
    return told >= 0 ? Math.min(told, cutMs) : cutMs
  }
}
