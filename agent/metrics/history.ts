import type { CallResult } from '../../shared/contract/index.ts'
import type { Metrics } from '../../shared/contract/machine.ts'
import type { HistoryPoint } from '../../shared/contract/metrics-history.ts'
import { historyEveryMs, historyKeptMs } from '../../shared/contract/metrics-history.ts'
import { MetricsTicks } from '../events/metrics-ticks.ts'
import type { Log } from '../log.ts'
import type { ContainerUse, HistoryStore, Reading } from './history-store.ts'
import type { MetricsService } from './metrics.service.ts'

/** Beyond, those that take the least memory are left out of a reading: a row has its limit too. */
const maxContainers = 32

export interface HistoryOptions {
  store: HistoryStore
  /** One of its own: rates then are over the whole tick, whoever else has looked meanwhile. */
  metrics: Pick<MetricsService, 'read'>
  /** What each running container takes; nothing where there is no Docker. */
  containers: () => Promise<ContainerUse[]>
  log: Log
}

type Answer = CallResult<'machine.metricsHistory'>

/** Writes down the load at every full ten seconds, and gives it back. */
export class MetricsHistory {
  readonly #options: HistoryOptions
  readonly #ticks: MetricsTicks
  #closed = false
  #failing = false

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#ticks = new MetricsTicks(options.metrics, (load) => void this.take(load, Date.now()))
  }

  start(): void {
    // The first look of all has nothing to compare with; the first row has then.
    void Promise.allSettled([this.#options.metrics.read(), this.#options.containers()])
    this.#ticks.every(historyEveryMs)
  }

  /** Keeps a reading at the nearest tick: a timer may come a little early or late. */
  async take(load: Metrics, now: number): Promise<void> {
    const at = Math.round(now / historyEveryMs) * historyEveryMs
    const uses = await this.#options.containers().catch(() => [])
    if (this.#closed) return
    const containers = uses.sort((a, b) => b.memoryMb - a.memoryMb).slice(0, maxContainers)
    const { cpu, memory, disk, network } = load
    try {
      this.#options.store.add({
        at,
        cpu: cpu.usagePercent,
        memory: memory.usagePercent,
        disk: disk.usagePercent,
        rx: network.rxBytesPerSec,
        tx: network.txBytesPerSec,
        containers,
      })
      this.#failing = false
    } catch (error) {
      // A full disk must not fill the log as well: it is said once, and again after it went well.
      if (!this.#failing) this.#options.log('warn', 'the load could not be kept', { error: String(error) })
      this.#failing = true
    }
  }

  read(
    asked: { from?: string | undefined; to?: string | undefined; everyMs: number; containers: boolean },
    now = Date.now(),
  ): Answer {
    const oldest = now - historyKeptMs
    const from = Math.max(oldest, asked.from === undefined ? oldest : Date.parse(asked.from))
    const to = asked.to === undefined ? now + 1 : Date.parse(asked.to)
    return gather(this.#options.store.between(from, to), asked.everyMs, asked.containers)
  }

  close(): void {
    this.#closed = true
    this.#ticks.every(0)
    this.#options.store.close()
  }
}

/** Readings within the same `everyMs` as one point: their mean. */
export function gather(readings: Iterable<Reading>, everyMs: number, withContainers: boolean): Answer {
  const points: HistoryPoint[] = []
  const containers = new Map<string, Answer['containers'][number]['points']>()
  let group: Reading[] = []
  const end = () => {
    const first = group[0]
    if (first === undefined) return
    const at = first.at - (first.at % everyMs)
    const mean = (name: 'cpu' | 'memory' | 'disk' | 'rx' | 'tx') => average(group.map((reading) => reading[name]))
    points.push({ at, cpu: mean('cpu'), memory: mean('memory'), disk: mean('disk'), rx: mean('rx'), tx: mean('tx') })
    if (withContainers) {
      const uses = Map.groupBy(
        group.flatMap((reading) => reading.containers),
        ({ name }) => name,
      )
      for (const [name, of] of uses) {
        const shares = of.flatMap(({ cpu }) => cpu ?? [])
        const series = containers.get(name) ?? []
        containers.set(name, series)
        series.push({
          at,
          cpu: shares.length === 0 ? null : average(shares),
          memoryMb: average(of.map(({ memoryMb }) => memoryMb)),
        })
      }
    }
    group = []
  }
  for (const reading of readings) {
    const first = group[0]
    if (first !== undefined && Math.floor(first.at / everyMs) !== Math.floor(reading.at / everyMs)) end()
    group.push(reading)
  }
  end()
  return { everyMs, points, containers: Array.from(containers, ([name, of]) => ({ name, points: of })) }
}

function average(values: readonly number[]): number {
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 10) / 10
}
