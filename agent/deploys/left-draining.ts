import type { OneAtATime } from '../docker/one-at-a-time.ts'
import { askStatus } from '../workers/own-server.ts'
import type { PlannedInstance } from './plan.ts'
import type { DeployParts } from './run-deploy.ts'

const askEveryMs = 1000

export interface LeftDrainingOptions extends DeployParts {
  lock: OneAtATime
  /** While a deploy runs the workers are its business. */
  isBusy: () => boolean
  /** Said of a worker that the agent restarted by itself. */
  record: (worker: string) => void
}

/**
 * Workers that a deploy told to take no new jobs, and that it then left at those they had. A drained worker takes jobs
 * again only after a restart: it gets one when its last job is done.
 */
export class LeftDraining {
  readonly #options: LeftDrainingOptions
  #left: PlannedInstance[] = []
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: LeftDrainingOptions) {
    this.#options = options
  }

  get instances(): readonly PlannedInstance[] {
    return this.#left
  }

  watch(instances: readonly PlannedInstance[]): void {
    const all = [...this.#left, ...instances]
    this.#left = all.filter(({ oldId }, index) => all.findIndex((other) => other.oldId === oldId) === index)
    this.#schedule()
  }

  /** Nothing is done to a worker that a person wants drained. */
  forget(containerIds: readonly string[]): void {
    const kept = this.#left.filter(({ oldId }) => !containerIds.includes(oldId ?? ''))
    if (kept.length === this.#left.length) return
    this.#left = kept
    this.#options.store.saveLeftDraining(kept)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#closed || this.#left.length === 0) return
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#schedule()), askEveryMs).unref()
  }

  async #look(): Promise<void> {
    const { isBusy, lock, log } = this.#options
    for (const instance of [...this.#left]) {
      if (isBusy() || this.#closed) return
      try {
        // Looked at first without the lock, which others wait for; then again, since it may have been waited for.
        if ((await this.#stateOf(instance)) === 'working') continue
        await lock.run(() => this.#settle(instance))
      } catch (error) {
        log('warn', 'a drained worker could not be restarted yet', { worker: instance.name, error: String(error) })
      }
    }
  }

  async #settle(instance: PlannedInstance): Promise<void> {
    const { docker, files, isBusy, record } = this.#options
    if (isBusy() || this.#closed || !this.#left.includes(instance)) return
    const state = await this.#stateOf(instance)
    if (state === 'working') return
    const { oldId, service, name } = instance
    const spec = files.read().services[service]
    if (state === 'drained' && spec !== undefined) {
      await docker.restartContainer(oldId ?? '', spec.stopLimitMs)
      record(name)
    }
    this.forget([oldId ?? ''])
  }

  /** `other`: it is gone, ended, or was restarted by someone else. */
  async #stateOf({ oldId, service, port }: PlannedInstance): Promise<'working' | 'drained' | 'other'> {
    const { docker, files } = this.#options
    const container = await docker.inspectContainer(oldId ?? '')
    const drain = files.read().services[service]?.drain
    if (container?.running !== true || drain === undefined) return 'other'
    const own = await askStatus(port, drain.statusPath)
    if (own === undefined) return 'working'
    if (!own.is_draining) return 'other'
    return own.active_jobs === 0 ? 'drained' : 'working'
  }
}
