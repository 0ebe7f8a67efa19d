import type { AgentEvent } from '../../shared/contract/index.ts'
import type { WorkerView } from '../../shared/contract/workers.ts'
import type { MachineWorkers, SeenWorker } from '../../shared/ipc-machine.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { LastAnswers } from './last-answers.ts'

export interface WorkersBookDeps {
  answers: Pick<LastAnswers, 'all' | 'note'>
  clock: Clock
  onChanged: (workers: MachineWorkers) => void
}

/** The workers of every machine: from the cache at once, then as the machines say, event by event. */
export class WorkersBook {
  readonly #deps: WorkersBookDeps
  readonly #known = new Map<string, MachineWorkers>()

  constructor(deps: WorkersBookDeps) {
    this.#deps = deps
    for (const { machineId, at, value } of deps.answers.all('workers.list')) {
      this.#known.set(machineId, { machineId, at, workers: value.map((worker) => ({ ...worker, seenAt: at })) })
    }
  }

  all(): MachineWorkers[] {
    return [...this.#known.values()]
  }

  /** The whole list, as the machine answered just now. */
  listed(machineId: string, workers: readonly WorkerView[]): void {
    const at = isoTime(this.#deps.clock)
    this.#keep(
      machineId,
      at,
      workers.map((worker) => ({ ...worker, seenAt: at })),
    )
  }

  heard(machineId: string, event: AgentEvent): void {
    if (event.type !== 'worker') return
    const { worker, change } = event
    const at = isoTime(this.#deps.clock)
    const known = this.#known.get(machineId)?.workers ?? []
    const others = known.filter(({ containerName }) => containerName !== worker.containerName)
    const seen = change === 'removed' ? others : [...others, { ...worker, seenAt: at }]
    const byName = (a: SeenWorker, b: SeenWorker) =>
      a.containerName.localeCompare(b.containerName, 'en', { numeric: true })
    const workers = seen.sort(byName)
    this.#keep(machineId, at, workers)
    this.#deps.answers.note(machineId, 'workers.list', {}, workers)
  }

  forget(machineId: string): void {
    if (this.#known.delete(machineId)) {
      this.#deps.onChanged({ machineId, at: isoTime(this.#deps.clock), workers: [] })
    }
  }

  #keep(machineId: string, at: string, workers: SeenWorker[]): void {
    const now = { machineId, at, workers }
    this.#known.set(machineId, now)
    this.#deps.onChanged(now)
  }
}
