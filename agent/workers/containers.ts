import type { WorkerView } from '../../shared/contract/workers.ts'
import type { ServicesFile } from '../deploys/services-file.ts'
import type { Service, ServiceName } from '../deploys/services-schema.ts'
import { isAside, type ManagedContainer, toManaged, workerIdOf } from '../docker/managed.ts'
import type { DockerOperations } from '../docker/operations.ts'
import { askDeploySafe, askHealthy, askStatus, type WorkerStatus } from './own-server.ts'

export interface Worker {
  container: ManagedContainer
  port: number
  /** What its own server says; undefined when it is silent. */
  own: WorkerStatus | undefined
}

/** The machine's managed containers as they are now, from Docker and from their own servers, both. */
export class Containers {
  readonly #docker: DockerOperations
  readonly #services: ServicesFile
  /** By container: which port its own variables name. They never change. */
  #named = new Map<string, number | undefined>()

  constructor(docker: DockerOperations, services: ServicesFile) {
    this.#docker = docker
    this.#services = services
  }

  /** Without the old ones that a deploy keeps aside. */
  async managed(): Promise<ManagedContainer[]> {
    const found = await this.#docker.listContainers(['gh.managed=true'])
    const managed = found
      .flatMap((info) => toManaged(info) ?? [])
      .filter(({ name }) => !isAside(name))
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    const ports = await Promise.all(managed.map((container) => this.#portOf(container)))
    for (const id of this.#named.keys()) if (!managed.some((container) => container.id === id)) this.#named.delete(id)
    return managed.map((container, index) => ({ ...container, port: ports[index] }))
  }

  /** Its label says it. Where another tool made the container, its variables do, and Docker where they lead to. */
  async #portOf({ id, port, service, published }: ManagedContainer): Promise<number | undefined> {
    if (port !== undefined) return port
    const variable = this.#services.read().services[service as ServiceName]?.portVariable
    if (variable !== undefined && !this.#named.has(id)) {
      const named = Number((await this.#docker.inspectContainer(id))?.env.get(variable))
      this.#named.set(id, Number.isInteger(named) && named > 0 ? named : undefined)
    }
    const named = this.#named.get(id)
    const [first] = published.values()
    return (named === undefined ? undefined : published.get(named)) ?? first ?? named
  }

  async workers(): Promise<Worker[]> {
    const spec = this.#services.read().services.worker
    const containers = (await this.managed()).filter(({ service }) => service === 'worker')
    return Promise.all(
      containers.map(async (container) => {
        const port = container.port ?? spec?.port ?? 3101
        const statusPath = spec?.drain?.statusPath ?? '/worker/status'
        return { container, port, own: canAnswer(container) ? await askStatus(port, statusPath) : undefined }
      }),
    )
  }

  /** Whether a worker may be replaced without losing a job: known to be idle, never assumed. */
  async isDeploySafe({ container, port, own }: Worker): Promise<boolean> {
    if (!container.alive) return true
    // One that Docker is about to start again may have a job by the time it is replaced.
    if (!container.running || own === undefined || own.active_jobs > 0) return false
    return askDeploySafe(port, this.#services.read().services.worker?.health.path ?? '/worker/health')
  }

  isHealthy(container: ManagedContainer): Promise<boolean> {
    const spec: Service | undefined = this.#services.read().services[container.service as ServiceName]
    if (spec === undefined || !canAnswer(container)) return Promise.resolve(false)
    return askHealthy(container.port ?? spec.port, spec.health.path)
  }
}

function canAnswer({ running, frozen }: ManagedContainer): boolean {
  return running && !frozen
}

export function toWorkerView({ container, port, own }: Worker, now = Date.now()): WorkerView {
  const age = container.running ? Math.max(0, now - container.createdAt * 1000) : 0
  return {
    workerId: workerIdOf(container),
    containerId: container.id,
    containerName: container.name,
    status: statusOf(container, own),
    activeJobs: own?.active_jobs ?? 0,
    statusPort: port,
    uptime: own?.uptime_ms ?? age,
    image: container.image,
    currentJob: own?.current_job ?? null,
  }
}

function statusOf(container: ManagedContainer, own: WorkerStatus | undefined): WorkerView['status'] {
  if (!container.running) return 'stopped'
  if (own === undefined || !own.is_running) return 'running'
  if (own.is_draining) return 'draining'
  return own.active_jobs > 0 ? 'busy' : 'idle'
}
