import type { CallResult } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import type { DockerEngine } from '../docker/engine.ts'
import type { OneAtATime } from '../docker/one-at-a-time.ts'
import type { Publish } from '../events/publish.ts'
import type { Containers } from '../workers/containers.ts'
import {
  AgentStops,
  Cancelled,
  concludeUndo,
  describeFailure,
  failure,
  finishedLater,
  Interrupted,
  interrupted,
} from './deploy-end.ts'
import type { DeployKind, EndStatus, StoredDeploy } from './deploy-store.ts'
import type { ImageRef } from './instance.ts'
import { DeployJournal, type DeployPause } from './journal.ts'
import { LeftDraining } from './left-draining.ts'
import { imagesBefore, makePlan, useRecorded } from './make-plan.ts'
import { imagesFor, type Plan, tagOf } from './plan.ts'
import { restore } from './restore.ts'
import { type DeployParts, DeployRun } from './run-deploy.ts'
import type { ServiceName } from './services-schema.ts'

export interface DeploysOptions extends DeployParts {
  engine: DockerEngine
  containers: Containers
  lock: OneAtATime
  publish: Publish
  /** Said of what the agent did by itself after a restart. */
  audit: { recordSystem(action: 'deploy' | 'rollback' | 'start_worker', details: Record<string, unknown>): void }
  pause?: DeployPause | undefined
}

interface Current {
  imageTag: string
  /** Counted by a clock that nobody can set. */
  startedAt: number
  cancel: AbortController
  /** From here on it only goes forward: the new ones have proved themselves, or the old ones are coming back. */
  decided: boolean
  /** Why it did not succeed; undefined where it did. */
  ended: Promise<unknown>
}

type Answer = CallResult<'deploys.deploy'>

const closeLimitMs = 5000
const retryMs = 5000

/** The deploys of this machine, one at a time, each of whose steps survives the agent. */
export class DeploysService {
  readonly #options: DeploysOptions
  readonly #left: LeftDraining
  #current: Current | undefined
  #stopWaiting: (() => void) | undefined
  #closed = false

  constructor(options: DeploysOptions) {
    this.#options = options
    this.#left = new LeftDraining({
      ...options,
      isBusy: () => this.#current !== undefined,
      record: (worker) => options.audit.recordSystem('start_worker', { worker, reason: 'a deploy had drained it' }),
    })
  }

  /** A worker that a person drains is not one to restart. */
  drainedByHand = (containerIds: readonly string[]): void => this.#left.forget(containerIds)

  /** The deploy that runs, or that an earlier agent left and that waits for Docker. */
  get current(): { imageTag: string; elapsedMs: number } | null {
    if (this.#current === undefined) return null
    return { imageTag: this.#current.imageTag, elapsedMs: elapsedSince(this.#current) }
  }

  refuseDuringDeploy = (): void => {
    if (this.#current === undefined) return
    const { imageTag } = this.#current
    throw new Problem('deploy-running', `${imageTag} is being deployed. Wait for it to end, or cancel it.`, {
      imageTag,
    })
  }

  deploy(imageTag: string, force: boolean, operator: string | null): Promise<Answer> {
    return this.#begin('deploy', imageTag, force, operator, async (plan) => {
      plan.images = imagesFor(this.#options.files, plan.instances, imageTag)
    })
  }

  rollback(force: boolean, operator: string | null): Promise<Answer> {
    this.refuseDuringDeploy()
    const { store } = this.#options
    const previous = imagesBefore(store.lastCompleted()?.plan.images ?? {}, store.completedPlans())
    const first = Object.values(previous)[0]
    if (first === undefined) {
      throw new Problem('conflict', 'No earlier image is recorded on this machine. Deploy the one you want by its tag.')
    }
    return this.#begin('rollback', tagOf(first.name), force, operator, async (plan) => useRecorded(plan, previous))
  }

  /**
   * Looks whether every container can be made anew from the image it has, so that a changed env file or services.json
   * counts. What it returns does that, and names the services.
   */
  async prepareReapply(operator: string | null): Promise<() => Promise<string[]>> {
    this.refuseDuringDeploy()
    const [first] = Object.values(this.#imagesNow(await makePlan(this.#options)))
    if (first === undefined)
      throw new Problem('conflict', 'Nothing is deployed on this machine yet: nothing to restart.')
    return async () => {
      const choose = async (plan: Plan) => useRecorded(plan, this.#imagesNow(plan))
      await this.#begin('deploy', tagOf(first.name), false, operator, choose)
      return this.deployedServices
    }
  }

  /** What was deployed; of a service that another tool started, the image that it runs. */
  #imagesNow({ previous }: Plan): Plan['images'] {
    return { ...previous, ...this.#options.store.lastCompleted()?.plan.images }
  }

  /** Stops the running deploy at its next safe point; answers when it has ended, with how it did. */
  async cancel(): Promise<CallResult<'deploys.cancel'>> {
    const current = this.#current
    if (current === undefined)
      throw new Problem(
        'conflict',
        'No deploy is running: there is nothing to cancel. GET /deploys lists those that were.',
      )
    if (current.decided)
      throw new Problem(
        'conflict',
        `The deploy of ${current.imageTag} is past the point where it can be cancelled. Wait for it to end.`,
      )
    current.cancel.abort(new Cancelled())
    const why = await current.ended
    return { success: why instanceof Problem && why.extra['restored'] === true, message: Problem.from(why).message }
  }

  list(page: number, pageSize: number): CallResult<'deploys.list'> {
    return { ...this.#options.store.list(page, pageSize), page, pageSize }
  }

  /** The image that new containers of a service are made from. */
  async deployedImage(service: ServiceName): Promise<ImageRef | undefined> {
    const recorded = this.#options.store.lastCompleted()?.plan.images[service]
    if (recorded?.id !== undefined && recorded.id !== null) return { id: recorded.id, name: recorded.name }
    const running = (await this.#options.containers.managed()).find((container) => container.service === service)
    return running === undefined ? undefined : { id: running.imageId, name: running.image }
  }

  /** The tag that is deployed; null before the first deploy. */
  get deployedTag(): string | null {
    return this.#options.store.lastCompleted()?.imageTag ?? null
  }

  /** The services that are deployed; empty before the first deploy. */
  get deployedServices(): string[] {
    return Object.keys(this.#options.store.lastCompleted()?.plan.images ?? {})
  }

  /** Takes up the deploy that an agent which ended left behind, as soon as Docker answers. */
  recover(): void {
    this.#left.watch(this.#options.store.newest()?.plan.leftDraining ?? [])
    const left = this.#options.store.unfinished()
    if (left === undefined) return
    this.#options.log('warn', 'a deploy was interrupted', {
      deployId: left.id,
      imageTag: left.imageTag,
      step: left.step,
    })
    const before = Math.max(0, Date.now() - Date.parse(left.startedAt))
    this.#claim(left.imageTag, performance.now() - before).decided = true
    this.#resumeWhenPossible(left)
  }

  /** Lets go without restoring: the next agent takes up what is on disk. */
  async close(): Promise<void> {
    this.#closed = true
    this.#left.close()
    this.#stopWaiting?.()
    const current = this.#current
    if (current === undefined) return
    current.cancel.abort(new AgentStops())
    const limit = new Promise((resolve) => setTimeout(resolve, closeLimitMs).unref())
    await Promise.race([current.ended, limit])
  }

  #begin(
    kind: DeployKind,
    imageTag: string,
    force: boolean,
    operator: string | null,
    choose: (plan: Plan) => Promise<void>,
  ): Promise<Answer> {
    this.refuseDuringDeploy()
    const current = this.#claim(imageTag, performance.now())
    const work = this.#options.lock.run(async () => {
      const plan = await makePlan(this.#options)
      plan.leftDraining = this.#left.instances
      await choose(plan)
      const { store } = this.#options
      const deploy = store.begin({ imageTag, kind, force, plan, operator })
      return this.#run(deploy, current)
    })
    current.ended = work.then(
      () => undefined,
      (error: unknown) => error,
    )
    return work.finally(() => {
      // One that waits for Docker to restore goes on being the current one.
      if (this.#current === current && this.#stopWaiting === undefined) this.#current = undefined
    })
  }

  #claim(imageTag: string, startedAt: number): Current {
    this.#current = { imageTag, startedAt, cancel: new AbortController(), decided: false, ended: Promise.resolve() }
    return this.#current
  }

  async #run(deploy: StoredDeploy, current: Current): Promise<Answer> {
    const journal = this.#journal(deploy)
    const run = new DeployRun(this.#options, journal, current.cancel.signal)
    try {
      await run.forward()
      current.cancel.signal.throwIfAborted()
      current.decided = true
    } catch (error) {
      if (current.cancel.signal.reason instanceof AgentStops) throw interrupted(deploy.imageTag)
      current.decided = true
      return await this.#undo(journal, current.cancel.signal.aborted ? new Cancelled() : error)
    }
    const message = await this.#complete(journal, run, 'is deployed')
    return { success: true, message, imageTag: deploy.imageTag, elapsedMs: elapsedSince(current) }
  }

  async #complete(journal: DeployJournal, run: DeployRun, what: string): Promise<string> {
    const { imageTag } = journal.deploy
    const left = await run.finish()
    const message = `${imageTag} ${what}.${left.length === 0 ? '' : ` Could not be removed: ${left.join(', ')}.`}`
    this.#end(journal, 'completed', message, null)
    return message
  }

  /** Puts back what was and says why; always throws. */
  async #undo(journal: DeployJournal, why: unknown): Promise<never> {
    const { deploy } = journal
    const touched = this.#options.store.unfinished()?.step !== 'pull'
    let notes: string[]
    try {
      notes = touched ? await restore(this.#options, journal) : []
    } catch (error) {
      this.#options.log('error', 'a deploy could not be undone yet', { deployId: deploy.id, error: String(error) })
      this.#resumeWhenPossible(deploy, why)
      throw new Problem(
        'deploy-failed',
        `${describeFailure(why)} The old containers could not be put back yet (${describeFailure(error)}); that happens as soon as Docker answers.`,
        { imageTag: deploy.imageTag, restored: false },
        { cause: why },
      )
    }
    const { message, status } = concludeUndo(deploy, why, touched, notes)
    this.#end(journal, status, message, message)
    throw failure(why, message, { imageTag: deploy.imageTag, deployStatus: status, restored: notes.length === 0 })
  }

  #resumeWhenPossible(deploy: StoredDeploy, why?: unknown): void {
    const { engine, lock, log } = this.#options
    let trying = false
    const attempt = async () => {
      if (trying || this.#closed) return
      trying = true
      try {
        await engine.client()
        await lock.run(() => this.#resume(deploy, why))
        this.#stopWaiting?.()
        this.#stopWaiting = undefined
        this.#current = undefined
      } catch (error) {
        log('warn', 'an interrupted deploy waits', { deployId: deploy.id, error: describeFailure(error) })
      } finally {
        trying = false
      }
    }
    const stopListening = engine.onChange((up) => {
      if (up) void attempt()
    })
    // Docker may answer and still fail at something that passes, such as a full disk.
    const timer = setInterval(() => void attempt(), retryMs).unref()
    this.#stopWaiting = () => {
      stopListening()
      clearInterval(timer)
    }
    if (this.#current !== undefined) this.#current.ended = attempt()
  }

  /** Finishes what had proved itself, gives the new ones their chance where that was all they waited for, else puts back. */
  async #resume(deploy: StoredDeploy, why: unknown): Promise<void> {
    const journal = this.#journal(deploy)
    const run = new DeployRun(this.#options, journal, new AbortController().signal)
    const { step } = this.#options.store.unfinished() ?? deploy
    let cause = why
    if (step === 'health' && why === undefined) {
      try {
        await run.proveHealth()
        await this.#complete(journal, run, finishedLater)
        return this.#record(deploy, 'completed', finishedLater)
      } catch (error) {
        cause = error
      }
    } else if (step === 'cleanup') {
      await this.#complete(journal, run, finishedLater)
      return this.#record(deploy, 'completed', finishedLater)
    }
    const notes = await restore(this.#options, journal)
    const replaced = step !== 'pull' && step !== 'drain'
    const { message, status } = concludeUndo(deploy, cause ?? new Interrupted(step), replaced, notes)
    this.#end(journal, status, message, message)
    this.#record(deploy, status, message)
  }

  #record(deploy: StoredDeploy, status: EndStatus, message: string): void {
    this.#options.audit.recordSystem(deploy.kind, { deployId: deploy.id, imageTag: deploy.imageTag, status, message })
  }

  #journal(deploy: StoredDeploy): DeployJournal {
    const { store, publish, pause } = this.#options
    return new DeployJournal(deploy, store, publish, pause ?? (() => Promise.resolve()))
  }

  #end({ deploy }: DeployJournal, status: EndStatus, message: string, errorMessage: string | null): void {
    this.#options.store.finish(deploy.id, status, errorMessage)
    this.#left.watch(deploy.plan.leftDraining ?? [])
    this.#options.publish('deploy_finished', { deployId: deploy.id, imageTag: deploy.imageTag, status, message })
    this.#options.log(status === 'completed' ? 'info' : 'warn', 'a deploy has ended', {
      deployId: deploy.id,
      status,
      message,
    })
  }
}

function elapsedSince({ startedAt }: Current): number {
  return Math.round(performance.now() - startedAt)
}
