import type { CallResult } from '../../shared/contract/index.ts'
import type { WorkerView } from '../../shared/contract/workers.ts'
import type { DockerEngine } from '../docker/engine.ts'
import type { ManagedContainer } from '../docker/managed.ts'
import { type Containers, toWorkerView, type Worker } from '../workers/containers.ts'
import { SharedLook } from './shared-look.ts'

type Health = CallResult<'machine.health'>

export interface HealthOptions {
  engine: DockerEngine
  containers: Containers
  deploys: { readonly current: Health['currentDeploy']; readonly deployedTag: string | null }
  /** The services that must be there: each that was deployed, unless services.json has it only where it is already. */
  mustBeThere: () => readonly string[]
  /** Of the other parts, such as the browser: nothing while all is well, otherwise why not. */
  troubles: () => readonly string[]
}

export interface Snapshot {
  health: Omit<Health, 'uptimeMs'>
  /** Why the status is not `ok`; empty when it is. */
  reasons: string[]
  workers: WorkerView[]
}

/** Whether the machine is well, from Docker and from the services themselves; never from what was true before. */
export class HealthService {
  readonly #options: HealthOptions
  readonly #shared = new SharedLook(() => this.#look())

  constructor(options: HealthOptions) {
    this.#options = options
  }

  /** How it is now. Anyone may ask without a secret, and asking often must not make the machine work. */
  snapshot(): Promise<Snapshot> {
    return this.#shared.look()
  }

  async health(): Promise<Health> {
    const { health } = await this.snapshot()
    // A deploy that began within the last moment must not be missed.
    const { current } = this.#options.deploys
    const deploySafe = health.deploySafe && current === null
    return { ...health, deploySafe, currentDeploy: current, uptimeMs: Math.round(process.uptime() * 1000) }
  }

  async #look(): Promise<Snapshot> {
    const { containers, deploys } = this.#options
    const reasons = [...this.#options.troubles()]
    let managed: ManagedContainer[]
    let workers: Worker[]
    let expected: readonly string[]
    try {
      expected = this.#options.mustBeThere()
      ;[managed, workers] = await Promise.all([containers.managed(), containers.workers()])
    } catch (error) {
      return this.#withoutDocker(reasons, error)
    }
    const api = managed.filter(({ service }) => service === 'api')
    const apiHealthy = api.length > 0 && (await all(api, (container) => containers.isHealthy(container)))
    const replaceable = await all(workers, (worker) => containers.isDeploySafe(worker))
    const views = workers.map((worker) => toWorkerView(worker))
    // During a deploy the services come and go on purpose.
    if (deploys.current === null) {
      if (api.length > 0 && !apiHealthy) reasons.push('The API is not healthy.')
      for (const [index, { workerId, status }] of views.entries()) {
        if (status !== 'running') continue
        const what = workers[index]?.own === undefined ? 'does not answer' : 'says of itself that it does not work'
        reasons.push(`Worker ${workerId} runs but ${what}.`)
      }
      for (const { alive, running, name } of managed)
        if (alive && !running) reasons.push(`${name} ends again and again; Docker keeps starting it.`)
      const gone = expected.filter((name) => !managed.some(({ service }) => service === name))
      if (deploys.deployedTag !== null && managed.length === 0) reasons.push('Nothing of what was deployed is there.')
      else for (const name of gone) reasons.push(`No container of the service ${name} is left. Deploy it again.`)
    }
    const nothingLeft = deploys.deployedTag !== null && !managed.some(({ running }) => running)
    return {
      reasons,
      workers: views,
      health: {
        status: reasons.length === 0 ? 'ok' : nothingLeft && deploys.current === null ? 'error' : 'degraded',
        activeWorkers: views.filter(({ status }) => status !== 'stopped').length,
        deploySafe: replaceable && deploys.current === null,
        apiHealthy,
        workerStatus: overall(views),
        currentDeploy: deploys.current,
      },
    }
  }

  #withoutDocker(reasons: string[], error: unknown): Snapshot {
    const { engine, deploys } = this.#options
    const expected = engine.expected || deploys.deployedTag !== null
    if (expected) reasons.push(error instanceof Error ? error.message : String(error))
    return {
      reasons,
      workers: [],
      health: {
        status: expected ? 'error' : reasons.length === 0 ? 'ok' : 'degraded',
        activeWorkers: 0,
        deploySafe: false,
        apiHealthy: false,
        workerStatus: expected ? 'unknown' : 'none',
        currentDeploy: deploys.current,
      },
    }
  }
}

/** One word for all of them: the one that matters most to whoever wants to deploy. */
function overall(workers: readonly WorkerView[]): string {
  const order = ['running', 'busy', 'draining', 'idle', 'stopped']
  return order.find((status) => workers.some((worker) => worker.status === status)) ?? 'none'
}

async function all<Item>(items: readonly Item[], test: (item: Item) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(items.map(test))).every(Boolean)
}
