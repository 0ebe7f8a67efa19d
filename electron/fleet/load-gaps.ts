import { historyKeptMs } from '../../shared/contract/metrics-history.ts'
import type { Clock } from '../clock.ts'
import { type MetricPoint, tiers } from '../store/metrics.ts'
import type { Store } from '../store/store.ts'
import type { Fleet } from './fleet.ts'

/** A hole that the machine cannot fill either (it was off) is not asked about each time someone looks. */
const againMs = 60_000
/** A chart is not kept waiting longer for it. */
const limitMs = 3000
const { everyMs } = tiers[0]
/** Readings come a little late, and are written together. */
const holeMs = 3 * everyMs

export interface LoadGapsDeps {
  fleet: Pick<Fleet, 'view' | 'call'>
  store: Pick<Store, 'metrics'>
  clock: Pick<Clock, 'now'>
}

/** What this console has not heard of a machine's load, because it was closed or cut off, the machine's agent has written down. */
export class LoadGaps {
  readonly #deps: LoadGapsDeps
  readonly #asked = new Map<string, { at: number; from: number }>()

  constructor(deps: LoadGapsDeps) {
    this.#deps = deps
  }

  /** Fills holes of the last day as far as the machine can be asked now; never fails. */
  async fill(id: string, from: number): Promise<void> {
    const { fleet, store, clock } = this.#deps
    const now = clock.now()
    const { links } = fleet.view(id)
    if (links.agent.state !== 'up') return
    const start = Math.max(from, now - historyKeptMs)
    const before = this.#asked.get(id)
    if (before !== undefined && now - before.at < againMs && start >= before.from) return
    if (!hasHole(store.metrics.history(id, start, now, now).points, start, now)) return
    this.#asked.set(id, { at: now, from: start })
    try {
      const asked = { from: new Date(start).toISOString(), everyMs, containers: false }
      const { points } = await fleet.call(id, 'machine.metricsHistory', asked, { timeoutMs: limitMs })
      store.metrics.fill(id, points, now)
    } catch {
      // An older agent has no history, and one that does not answer is shown as such elsewhere.
    }
  }
}

export function hasHole(points: readonly MetricPoint[], from: number, to: number): boolean {
  const times = [from, ...points.map(({ at }) => at), to]
  return times.some((at, index) => at - (times[index - 1] ?? at) > holeMs)
}
