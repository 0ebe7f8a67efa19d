import type { Metrics } from '../../shared/contract/machine.ts'
import type { MetricsService } from '../metrics/metrics.service.ts'

/** The load at the full multiples of the clock, so that many machines are heard of in the same moment. */
export class MetricsTicks {
  readonly #metrics: Pick<MetricsService, 'read'>
  readonly #send: (metrics: Metrics) => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(metrics: Pick<MetricsService, 'read'>, send: (metrics: Metrics) => void) {
    this.#metrics = metrics
    this.#send = send
  }

  /** Begins, changes the rhythm, or with 0 ends it. */
  every(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (ms > 0) this.#next(ms)
  }

  #next(ms: number): void {
    const timer = setTimeout(
      () => {
        this.#next(ms)
        this.#metrics.read().then(
          (load) => {
            if (this.#timer !== undefined) this.#send(load)
          },
          // A load that cannot be read is simply not sent; the console then asks and hears why.
          () => {},
        )
      },
      ms - (Date.now() % ms),
    )
    timer.unref()
    this.#timer = timer
  }
}
