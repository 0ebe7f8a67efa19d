import type { Clock } from '../clock.ts'
import { isoTime } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Machine } from './machine.ts'

export interface ReconciliationReport {
  at: string
  checked: number
  corrected: number
  failed: number
}

/** With events every change is heard; this is for what no event told. */
const everyMs = 5 * 60_000
/** So many machines are looked at together. */
const atOnce = 8

export interface ReconciliationDeps {
  machines: () => Iterable<Machine>
  clock: Clock
  log: Log
}

/** Checks every running and paused machine in the background, and counts how often the cache was wrong. */
export class Reconciliation {
  readonly #deps: ReconciliationDeps
  #cancel: (() => void) | undefined
  #running: Promise<ReconciliationReport> | undefined
  #stopped = false
  last: ReconciliationReport | undefined
  rounds = 0
  corrections = 0

  constructor(deps: ReconciliationDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(everyMs, () => {
      void this.round().finally(() => {
        if (!this.#stopped) this.start()
      })
    })
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /** One round now; a second wish meanwhile gets the same one. */
  round(): Promise<ReconciliationReport> {
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #round(): Promise<ReconciliationReport> {
    const report = { at: '', checked: 0, corrected: 0, failed: 0 }
    const waiting = [...this.#deps.machines()].filter(({ record }) => ['running', 'paused'].includes(record.state))
    const worker = async () => {
      for (let machine = waiting.shift(); machine !== undefined && !this.#stopped; machine = waiting.shift()) {
        const outcome = await machine.reconcile()
        report.checked++
        if (outcome !== 'same') report[outcome]++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    report.at = isoTime(this.#deps.clock)
    this.last = report
    this.rounds++
    this.corrections += report.corrected
    if (report.corrected > 0) this.#deps.log('info', 'a reconciliation corrected the cache', { ...report })
    return report
  }
}
