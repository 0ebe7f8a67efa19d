import type { DeployStep } from '../../shared/contract/deploys.ts'
import type { Publish } from '../events/publish.ts'
import type { DeployStore, StoredDeploy } from './deploy-store.ts'
import type { PlannedInstance } from './plan.ts'

/** Finer than a step: what may lie on either side of a crash. */
export type DeployAction = 'pull' | 'drain' | 'stop' | 'aside' | 'create' | 'start' | 'health' | 'remove' | 'put-back'

/** For tests that end the agent at a chosen moment: on disk but not taken, or taken but the next not on disk. */
export type DeployPause = (moment: {
  when: 'stored' | 'taken'
  step: DeployStep
  action: DeployAction
  target: string | null
}) => Promise<void>

const names: Record<DeployAction, string> = {
  pull: 'Getting the image',
  drain: 'Draining',
  stop: 'Stopping',
  aside: 'Keeping the old container aside',
  create: 'Creating',
  start: 'Starting',
  health: 'Waiting for health',
  remove: 'Removing the old container',
  'put-back': 'Putting back',
}

/** Takes the steps of one deploy: on disk first, then on the event stream, then for real. */
export class DeployJournal {
  readonly deploy: StoredDeploy
  readonly #store: DeployStore
  readonly #publish: Publish
  readonly #pause: DeployPause
  #total = 1
  #done = 0

  constructor(deploy: StoredDeploy, store: DeployStore, publish: Publish, pause: DeployPause) {
    this.deploy = deploy
    this.#store = store
    this.#publish = publish
    this.#pause = pause
  }

  /** How many steps there will be, so that a progress bar can be drawn. */
  expect(steps: number): void {
    this.#total = Math.max(1, steps)
    this.#done = 0
  }

  async take<Result>(
    step: DeployStep,
    action: DeployAction,
    on: Pick<PlannedInstance, 'service' | 'name'> | null,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const target = on?.name ?? null
    const what = target === null ? names[action] : `${names[action]}: ${target}`
    const tell = (status: 'started' | 'done' | 'failed', message: string) =>
      this.#tell(step, status, on?.service ?? null, message)
    const end = this.#store.beginStep(this.deploy.id, step, action, target)
    tell('started', what)
    await this.#pause({ when: 'stored', step, action, target })
    try {
      const result = await work()
      if (step !== 'restore') this.#done = Math.min(this.#done + 1, this.#total)
      end()
      tell('done', what)
      await this.#pause({ when: 'taken', step, action, target })
      return result
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      end(why)
      tell('failed', `${what}: ${why}`)
      throw error
    }
  }

  /** Something worth saying within a step, such as how much of an image has arrived. */
  progress(step: DeployStep, message: string, part: number): void {
    this.#tell(step, 'progress', null, message, Math.min(1, Math.max(0, part)))
  }

  #tell(step: DeployStep, status: string, service: string | null, message: string, part = 0): void {
    this.#publish('deploy_step', {
      deployId: this.deploy.id,
      imageTag: this.deploy.imageTag,
      step,
      status,
      service,
      message,
      progress: Math.min(1, (this.#done + part) / this.#total),
    })
  }
}
