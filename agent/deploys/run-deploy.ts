import { asideName } from '../docker/managed.ts'
import type { DockerOperations } from '../docker/operations.ts'
import type { Log } from '../log.ts'
import { drainAndWait, notDrained } from '../workers/drain.ts'
import { awaitHealth, type Proved, stillRuns, Unhealthy } from './await-health.ts'
import type { DeployStore } from './deploy-store.ts'
import { fetchImage } from './fetch-image.ts'
import { foreignProcessor, refuseWithoutCommand } from './image-fits.ts'
import { instanceOf, instanceSpec } from './instance.ts'
import type { DeployJournal } from './journal.ts'
import { imagesBefore } from './make-plan.ts'
import type { Plan, PlannedImage, PlannedInstance } from './plan.ts'
import type { ServicesFile } from './services-file.ts'
import type { Service } from './services-schema.ts'

export interface DeployParts {
  docker: DockerOperations
  files: ServicesFile
  store: DeployStore
  log: Log
}

/** Goes forward through a deploy: pull, drain, replace in order, prove healthy. */
export class DeployRun {
  readonly #parts: DeployParts
  readonly #journal: DeployJournal
  /** Aborted when the deploy is cancelled; looked at wherever it is safe to stop. */
  readonly #signal: AbortSignal

  constructor(parts: DeployParts, journal: DeployJournal, signal: AbortSignal) {
    this.#parts = parts
    this.#journal = journal
    this.#signal = signal
  }

  async forward(): Promise<void> {
    const { plan } = this.#journal.deploy
    const old = plan.instances.filter(({ oldId }) => oldId !== null)
    const draining = old.filter(({ service, wasAlive }) => wasAlive && this.#spec(service).drain !== undefined)
    this.#journal.expect(1 + draining.length + 3 * old.length + 3 * plan.instances.length)
    await this.#pull()
    // All at once: they work on their last jobs at the same time.
    const drained = await Promise.allSettled(draining.map((instance) => this.#drain(instance)))
    for (const end of drained) if (end.status === 'rejected') throw end.reason
    for (const instance of this.#inStopOrder(old)) await this.#setAside(instance)
    const proved: Proved[] = []
    for (const instance of plan.instances) proved.push(await this.#replace(instance))
    await stillRuns(this.#parts.docker, proved, this.#signal)
  }

  /** From a recorded deploy: proves health once more, for an agent that ended while it waited for it. */
  async proveHealth(): Promise<void> {
    const proved: Proved[] = []
    for (const instance of this.#journal.deploy.plan.instances) {
      const state = await this.#parts.docker.inspectContainer(instance.name)
      if (state === undefined || state.labels['gh.deploy'] !== String(this.#journal.deploy.id)) {
        throw new Error(`The new ${instance.name} had not been made yet.`)
      }
      proved.push(await this.#health(instance, state.id))
    }
    await stillRuns(this.#parts.docker, proved, this.#signal)
  }

  /** The new ones have proved themselves: from here on it only goes forward. What could not be removed is named. */
  async finish(): Promise<string[]> {
    const left: string[] = []
    for (const instance of this.#journal.deploy.plan.instances) {
      const { oldId } = instance
      if (oldId === null) continue
      await this.#journal
        .take('cleanup', 'remove', instance, () => this.#parts.docker.removeContainer(oldId))
        .catch((error: unknown) => {
          this.#parts.log('warn', 'an old container could not be removed', {
            name: instance.name,
            error: String(error),
          })
          left.push(asideName(instance.name, this.#journal.deploy.id))
        })
    }
    return left
  }

  async #pull(): Promise<void> {
    this.#signal.throwIfAborted()
    const { deploy } = this.#journal
    await this.#journal.take('pull', 'pull', null, async () => {
      const found = new Map<string, PlannedImage>()
      for (const [service, image] of Object.entries(deploy.plan.images)) {
        const progress = (message: string, part: number) => this.#journal.progress('pull', message, part)
        const key = image.id ?? image.name
        const fetched = found.get(key) ?? (await fetchImage(this.#parts.docker, image, progress, this.#signal))
        found.set(key, fetched)
        await this.#refuseUnrunnable(service as PlannedInstance['service'], fetched)
        deploy.plan.images[service as keyof typeof deploy.plan.images] = fetched
      }
      // What is recorded as the image before is what a rollback would go to.
      deploy.plan.previous = imagesBefore(deploy.plan.images, this.#plansBack())
      this.#parts.store.savePlan(deploy.id, deploy.plan)
    })
  }

  async #refuseUnrunnable(service: PlannedInstance['service'], { id, name }: PlannedImage): Promise<void> {
    const facts = id === null ? undefined : await this.#parts.docker.inspectImage(id)
    if (facts !== undefined) refuseWithoutCommand(name, facts, this.#spec(service))
  }

  *#plansBack(): Generator<Plan> {
    yield this.#journal.deploy.plan
    yield* this.#parts.store.completedPlans()
  }

  async #drain(instance: PlannedInstance): Promise<void> {
    this.#signal.throwIfAborted()
    await this.#journal.take('drain', 'drain', instance, async () => {
      const state = await this.#parts.docker.inspectContainer(instance.name)
      if (state?.running !== true) return
      const end = await drainAndWait(instance.port, this.#spec(instance.service), this.#signal)
      if (end.kind === 'drained') return
      // One that ends again and again is silent in between; what it did before its last end it does no more.
      const now = end.kind === 'silent' ? await this.#parts.docker.inspectContainer(state.id) : state
      if (now?.running !== true || now.startedAt !== state.startedAt) return
      if (!this.#journal.deploy.force) {
        throw notDrained(instance.name, end, 'Nothing was replaced. Try again later, or deploy with "force": true.')
      }
      this.#parts.log('warn', 'a worker is stopped although it has not drained, as asked', { worker: instance.name })
    })
  }

  async #setAside(instance: PlannedInstance): Promise<void> {
    const { docker } = this.#parts
    const oldId = instance.oldId ?? ''
    const { stopLimitMs } = this.#spec(instance.service)
    this.#signal.throwIfAborted()
    await this.#journal.take('stop', 'stop', instance, () => docker.stopContainer(oldId, stopLimitMs))
    this.#signal.throwIfAborted()
    const aside = asideName(instance.name, this.#journal.deploy.id)
    await this.#journal.take('stop', 'aside', instance, () =>
      docker.renameContainer(oldId, aside).catch(async (error: unknown) => {
        // Docker removes some of itself once they have ended (`--rm`): nothing is left to keep.
        if ((await docker.inspectContainer(oldId)) !== undefined) throw error
      }),
    )
  }

  async #replace(instance: PlannedInstance): Promise<Proved> {
    const { docker } = this.#parts
    this.#signal.throwIfAborted()
    const id = await this.#journal.take('start', 'create', instance, async () => {
      await this.#stopAgain(instance)
      return this.#create(instance)
    })
    this.#signal.throwIfAborted()
    await this.#journal.take('start', 'start', instance, () => docker.startContainer(id))
    return this.#health(instance, id)
  }

  /** A restart that someone asked Docker for before the deploy may have started the old one since it was stopped. */
  async #stopAgain({ oldId, service }: PlannedInstance): Promise<void> {
    const { docker } = this.#parts
    if (oldId === null || (await docker.inspectContainer(oldId))?.running !== true) return
    await docker.stopContainer(oldId, this.#spec(service).stopLimitMs)
  }

  async #health(instance: PlannedInstance, id: string): Promise<Proved> {
    this.#signal.throwIfAborted()
    const { name, service, oldId, newPort: port = instance.port } = instance
    return this.#journal.take('health', 'health', instance, () =>
      awaitHealth(this.#parts.docker, { id, name, port, oldId }, this.#spec(service), this.#signal).catch(
        async (error: unknown) => {
          throw error instanceof Unhealthy ? await this.#withProcessor(service, error) : error
        },
      ),
    )
  }

  /** The same, with what the image has to do with it. */
  async #withProcessor(service: PlannedInstance['service'], error: Unhealthy): Promise<Unhealthy> {
    const id = this.#journal.deploy.plan.images[service]?.id
    const facts = id == null ? undefined : await this.#parts.docker.inspectImage(id)
    const said = facts === undefined ? undefined : foreignProcessor(facts)
    return said === undefined ? error : new Unhealthy(`${error.message} ${said}`, error.lastLines)
  }

  async #create(instance: PlannedInstance): Promise<string> {
    const { docker, files } = this.#parts
    const { deploy } = this.#journal
    const image = deploy.plan.images[instance.service]
    if (image === undefined || image.id === null) throw new Error(`There is no image for ${instance.name}.`)
    const old = instance.oldId === null ? undefined : await docker.inspectContainer(instance.oldId)
    const like = { name: instance.name, labels: old?.labels ?? {}, env: old?.env ?? new Map<string, string>() }
    const spec = instanceSpec(
      instanceOf(like, instance.service, instance.newPort ?? instance.port),
      this.#spec(instance.service),
      files.read(),
      files.env(),
      { id: image.id, name: image.name },
      deploy.id,
    )
    return docker.createContainer(spec)
  }

  #inStopOrder(instances: readonly PlannedInstance[]): PlannedInstance[] {
    return [...instances].sort((a, b) => this.#spec(a.service).stopOrder - this.#spec(b.service).stopOrder)
  }

  #spec(service: PlannedInstance['service']): Service {
    const spec = this.#parts.files.read().services[service]
    if (spec === undefined) throw new Error(`services.json no longer has the service "${service}".`)
    return spec
  }
}
