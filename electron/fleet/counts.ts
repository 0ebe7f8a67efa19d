import type { AgentEvent } from '../../shared/contract/index.ts'
import type { Clock } from '../clock.ts'

/** How many of the latest events the latency is said of. */
const keptLatencies = 500

/** Figures for the diagnostics, since this console was started. */
export class FleetCounts {
  readonly #clock: Clock
  readonly #latencies: number[] = []
  verifications = 0
  failedVerifications = 0
  events = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  verified(well: boolean): void {
    this.verifications++
    if (!well) this.failedVerifications++
  }

  heard(event: AgentEvent): void {
    this.events++
    this.#latencies.push(this.#clock.now() - Date.parse(event.time))
    if (this.#latencies.length > keptLatencies) this.#latencies.shift()
  }

  /** From the agent's clock to this one's: a machine whose clock is wrong shows here. Null without events. */
  get eventLatencyMs(): { p50: number; p95: number } | null {
    const sorted = this.#latencies.filter(Number.isFinite).sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    const [p50, p95] = [at(0.5), at(0.95)]
    return p50 === undefined || p95 === undefined ? null : { p50, p95 }
  }
}
