import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerView } from '../../shared/contract/workers.ts'
import { Problem } from '../../shared/errors.ts'
import { type ImageRef, instanceSpec } from '../deploys/instance.ts'
import type { ServicesFile } from '../deploys/services-file.ts'
import type { Service } from '../deploys/services-schema.ts'
import { isAside, type ManagedContainer, workerIdOf } from '../docker/managed.ts'
import type { OneAtATime } from '../docker/one-at-a-time.ts'
import type { DockerOperations } from '../docker/operations.ts'
import { freePortFrom } from '../docker/ports.ts'
import { SharedLook } from '../health/shared-look.ts'
import { type Containers, toWorkerView, type Worker } from './containers.ts'
import { beginDrain, drainAndWait, notDrained } from './drain.ts'
import { keepAside, settleAside } from './kept-aside.ts'
import { askStatus } from './own-server.ts'

/** How long a start waits for the first sign of life before it answers that the container runs. */
const firstSignMs = 5000
const lastLines = 20

export interface WorkersOptions {
  docker: DockerOperations
  containers: Containers
  services: ServicesFile
  lock: OneAtATime
  /** The image that is deployed for workers. */
  deployedImage: () => Promise<ImageRef | undefined>
  /** Throws while a deploy runs. */
  refuseDuringDeploy: () => void
  /** Hears which containers a person wants drained. */
  drainedByHand: (containerIds: readonly string[]) => void
}

export interface StartWorker {
  workerId?: string | undefined
  maxConcurrentJobs: number
  envOverrides?: Record<string, string> | undefined
}

/** The workers of this machine: which there are, one more, one less. */
export class WorkersService {
  readonly #options: WorkersOptions
  readonly #all = new SharedLook(() => this.#options.containers.workers())

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  async list(): Promise<WorkerView[]> {
    return (await this.#all.look()).map((worker) => toWorkerView(worker))
  }

  /** Starts one more worker from the image that is deployed; its id. */
  start(request: StartWorker): Promise<{ workerId: string; port: number }> {
    this.#options.refuseDuringDeploy()
    return this.#options.lock.run(() => this.#start(request))
  }

  /** Puts in order what an agent left that ended in the middle of a start. */
  recover(): Promise<void> {
    return this.#options.lock.run(() => settleAside(this.#options.docker))
  }

  async stop(id: string, graceful: boolean): Promise<void> {
    this.#options.refuseDuringDeploy()
    const worker = await this.#find(id)
    const spec = this.#spec()
    if (graceful && worker.container.running) {
      const end = await drainAndWait(worker.port, spec)
      if (end.kind !== 'drained') {
        throw notDrained(id, end, 'Try again later, or stop it with "graceful": false and lose what it does.')
      }
    }
    // It may have taken a while, and a deploy may have begun meanwhile; one that begins now waits for this.
    this.#options.refuseDuringDeploy()
    const { docker, lock } = this.#options
    await lock.run(() => docker.stopContainer(worker.container.id, spec.stopLimitMs))
  }

  async drain(id: string): Promise<void> {
    const worker = await this.#find(id)
    if (!worker.container.running) throw new Problem('conflict', `Worker ${id} is stopped: there is nothing to drain.`)
    this.#options.drainedByHand([worker.container.id])
    if (!(await beginDrain(worker.port, this.#drainPath()))) {
      throw new Problem(
        'conflict',
        `Worker ${id} runs but does not answer, so it could not be told to drain. See its logs.`,
      )
    }
  }

  /** Drains every worker that runs; which heard it and which did not. */
  async drainAll(): Promise<{ drained: string[]; silent: string[] }> {
    const running = (await this.#options.containers.workers()).filter(({ container }) => container.running)
    this.#options.drainedByHand(running.map(({ container }) => container.id))
    const heard = await Promise.all(running.map(({ port }) => beginDrain(port, this.#drainPath())))
    const ids = (wanted: boolean) =>
      running.filter((_worker, index) => heard[index] === wanted).map(({ container }) => workerIdOf(container))
    return { drained: ids(true), silent: ids(false) }
  }

  async #start(request: StartWorker): Promise<{ workerId: string; port: number }> {
    const { docker, services, deployedImage, containers } = this.#options
    await settleAside(docker)
    const spec = this.#spec()
    const file = services.read()
    for (const own of [spec.portVariable, file.workerIdVariable, file.maxJobsVariable, 'GH_SERVICE']) {
      if (own !== undefined && request.envOverrides?.[own] !== undefined) {
        throw new Problem('invalid-params', `${own} is set by the agent. Leave it out of envOverrides.`)
      }
    }
    const all = await containers.managed()
    const taken = all.filter(({ service }) => service === 'worker')
    const { workerId, name } = chooseName(
      request.workerId,
      spec.name,
      taken.filter(({ running }) => running),
    )
    const image = await deployedImage()
    if (image === undefined)
      throw new Problem('conflict', 'No image is deployed on this machine yet. Deploy one first.')
    const old = taken.find((container) => container.name === name)
    const used = new Set(all.filter((other) => other !== old).flatMap(({ port }) => port ?? []))
    const port = await freePortFrom(spec.port, used)
    const instance = {
      service: 'worker' as const,
      name,
      port,
      workerId,
      maxJobs: request.maxConcurrentJobs,
      overrides: new Map(Object.entries(request.envOverrides ?? {})),
    }
    const made = instanceSpec(instance, spec, file, services.env(), image, undefined)
    await this.#inPlaceOf(old, spec, async () => {
      const id = await docker.createContainer(made)
      try {
        await docker.startContainer(id)
        await this.#firstSign(id, port, spec)
      } catch (error) {
        await docker.removeContainer(id).catch(() => {})
        throw error
      }
    })
    return { workerId, port }
  }

  /** A stopped worker is all there is of what was special about it: it goes when its successor has shown life. */
  async #inPlaceOf(old: ManagedContainer | undefined, spec: Service, begin: () => Promise<void>): Promise<void> {
    if (old === undefined) return begin()
    const { docker } = this.#options
    // One that ends again and again would go on doing so under its other name.
    if (old.alive) await docker.stopContainer(old.id, spec.stopLimitMs)
    try {
      await keepAside(docker, old)
      await begin()
    } finally {
      // Where that fails, the next start or the next agent does it.
      await settleAside(docker).catch(() => {})
    }
  }

  async #firstSign(id: string, port: number, spec: Service): Promise<void> {
    const { docker } = this.#options
    const deadline = performance.now() + firstSignMs
    while (performance.now() < deadline) {
      const state = await docker.inspectContainer(id)
      if (state === undefined || !state.running || state.restarts > 0) {
        const lines = await docker.lastLines(id, lastLines)
        throw new Problem(
          'container-failed',
          `The worker ended at once (exit code ${state?.exitCode ?? 'unknown'}) and was removed. Its last lines: ${lines.join(' | ')}`,
          { lastLines: lines },
        )
      }
      if (spec.drain === undefined || (await askStatus(port, spec.drain.statusPath)) !== undefined) return
      await sleep(100)
    }
  }

  async #find(id: string): Promise<Worker> {
    const workers = await this.#options.containers.workers()
    const found =
      workers.find(({ container }) => workerIdOf(container) === id) ??
      workers.find(({ container }) => container.name === id) ??
      // As it calls itself, where another tool made its container.
      workers.find(({ own }) => own?.worker_id === id)
    if (found !== undefined) return found
    throw new Problem('not-found', `There is no worker "${id}" on this machine. GET /workers lists them.`)
  }

  #spec(): Service {
    const spec = this.#options.services.read().services.worker
    if (spec === undefined)
      throw new Problem('conflict', 'services.json has no workers. Add the service "worker" to it.')
    return spec
  }

  #drainPath(): string {
    return this.#spec().drain?.path ?? '/worker/drain'
  }
}

/** A worker's id and its container's name: as asked for, else the first number that is free. */
function chooseName(
  asked: string | undefined,
  base: string,
  running: readonly { name: string; labels: Record<string, string> }[],
): { workerId: string; name: string } {
  const isTaken = (workerId: string, name: string) =>
    running.some((container) => container.name === name || workerIdOf(container) === workerId)
  if (asked !== undefined) {
    const name = asked.startsWith(base) ? asked : `${base}-${asked}`
    if (isAside(asked))
      throw new Problem('invalid-params', '".aside-" in a name means a container that a deploy keeps.')
    if (isTaken(asked, name))
      throw new Problem('conflict', `Worker ${asked} runs already. Choose another id, or stop it first.`)
    return { workerId: asked, name }
  }
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`
    if (!isTaken(name, name)) return { workerId: name, name }
  }
}
