import type { DeployRecord } from '../../shared/contract/deploys.ts'
import type { CallName, CallParams, CallResult } from '../../shared/contract/index.ts'
import type { Rollout } from '../../shared/domain/rollout.ts'
import { rolloutSchema } from '../../shared/domain/rollout.ts'
import { Problem } from '../../shared/errors.ts'
import type { RolloutStep } from '../store/rollouts.ts'
import type { TestClock } from '../test-clock.ts'
import type { Machines } from './ask-machine.ts'

/** How the machine's agent takes a deploy. */
export type Manner = 'good' | 'sick' | 'busy' | 'held' | 'dead' | 'refuses' | 'cut-before' | 'cut-after' | 'dies'

const at = '2026-01-01T00:00:00.000Z'
const deployMs = 3000

interface Agent {
  manner: Manner
  up: boolean
  deploys: DeployRecord[]
  keys: Map<string, Promise<unknown>>
  /** How often a deploy was really run, by the key it was asked for with. */
  runs: Map<string, number>
  cancel: (() => void) | undefined
}

/** Machines whose agents keep to the contract, each in its own manner; they outlive the console that asks them. */
export class TestWorld implements Machines {
  readonly agents = new Map<string, Agent>()
  readonly #clock: TestClock
  /** The most that were deployed to at one moment. */
  most = 0
  /** How often any of them was asked anything. */
  calls = 0

  constructor(clock: TestClock, manners: Record<string, Manner>) {
    this.#clock = clock
    for (const [id, manner] of Object.entries(manners)) {
      const first = record(1, 'v1', 'deploy', {
        status: 'completed',
        step: 'done',
        finishedAt: at,
        digest: 'sha256:v1',
      })
      const [keys, runs] = [new Map<string, Promise<unknown>>(), new Map<string, number>()]
      this.agents.set(id, { manner, up: manner !== 'dead', deploys: [first], keys, runs, cancel: undefined })
    }
  }

  has(id: string): boolean {
    return this.agents.has(id)
  }

  agent(id: string): Agent {
    const agent = this.agents.get(id)
    if (agent === undefined) throw new Problem('unknown-machine', 'no such machine')
    return agent
  }

  async call<Name extends CallName>(
    id: string,
    name: Name,
    params: CallParams<Name>,
    options: { idempotencyKey?: string } = {},
  ): Promise<CallResult<Name>> {
    this.calls++
    const agent = this.agent(id)
    if (!agent.up) throw new Problem('unreachable', `${id} does not answer.`)
    return (await this.#answer(
      agent,
      name,
      params as Record<string, unknown>,
      options.idempotencyKey,
    )) as CallResult<Name>
  }

  async #answer(agent: Agent, name: string, params: Record<string, unknown>, key = ''): Promise<unknown> {
    switch (name) {
      case 'machine.health': {
        const running = agent.deploys.find(({ finishedAt }) => finishedAt === null)
        const currentDeploy = running === undefined ? null : { imageTag: running.imageTag, elapsedMs: 1 }
        return {
          status: 'ok',
          currentDeploy,
          deploySafe: currentDeploy === null,
          activeWorkers: 1,
          workerStatus: 'idle',
        }
      }
      case 'takeover.get':
        return { lease: agent.manner === 'held' ? { operator: 'Grace', reason: '', takenAt: at, expiresAt: at } : null }
      case 'deploys.list':
        return { deploys: [...agent.deploys].reverse().map((one) => ({ ...one })), page: 1, pageSize: 50, total: 1 }
      case 'deploys.cancel':
        agent.cancel?.()
        return { success: true, message: '' }
      case 'deploys.deploy':
      case 'deploys.rollback':
        return this.#deploy(agent, name === 'deploys.deploy' ? String(params['image_tag']) : 'v1', name, key)
      default:
        throw new Error(`The test's agent has no ${name}`)
    }
  }

  async #deploy(agent: Agent, tag: string, name: string, key: string): Promise<unknown> {
    const known = agent.keys.get(key)
    if (known !== undefined) return known
    if (agent.manner === 'refuses') throw new Problem('install-required', 'Docker is not installed there')
    if (agent.manner === 'cut-before') {
      agent.manner = 'good'
      throw new Problem('unreachable', 'The connection was cut.')
    }
    if (agent.deploys.some(({ finishedAt }) => finishedAt === null)) throw new Problem('deploy-running', 'busy')
    const work = this.#run(agent, tag, name === 'deploys.deploy' ? 'deploy' : 'rollback', key)
    work.catch(() => {})
    agent.keys.set(key, work)
    if (agent.manner === 'cut-after') throw new Problem('unreachable', 'The connection was cut.')
    return work
  }

  async #run(agent: Agent, tag: string, kind: 'deploy' | 'rollback', key: string): Promise<unknown> {
    agent.runs.set(key, (agent.runs.get(key) ?? 0) + 1)
    const own = record(agent.deploys.length + 1, tag, kind, { previousTag: 'v1', previousDigest: 'sha256:v1' })
    agent.deploys.push(own)
    const running = () =>
      [...this.agents.values()].filter(({ deploys }) => deploys.some((one) => one.finishedAt === null))
    this.most = Math.max(this.most, running().length)
    if (agent.manner === 'dies') {
      agent.up = false
      // It comes back and puts back what was.
      this.#clock.after(2 * deployMs, () => {
        agent.up = true
        Object.assign(own, { status: 'rolled_back', finishedAt: at, errorMessage: 'The agent ended.' })
      })
      throw new Problem('unreachable', 'The connection was cut.')
    }
    const cancelled = await new Promise<boolean>((resolve) => {
      const stop = this.#clock.after(deployMs, () => resolve(false))
      agent.cancel = () => {
        stop()
        resolve(true)
      }
    })
    agent.cancel = undefined
    const end = (status: DeployRecord['status'], errorMessage: string | null) =>
      Object.assign(own, { status, finishedAt: at, step: 'done', errorMessage, digest: `sha256:${tag}` })
    if (cancelled) {
      end('cancelled', 'It was cancelled.')
      throw new Problem('conflict', 'It was cancelled.', { deployStatus: 'cancelled', restored: true })
    }
    if (agent.manner === 'sick') {
      end('rolled_back', 'It was not healthy. What ran before runs again.')
      throw new Problem('deploy-failed', 'It was not healthy. What ran before runs again.', { restored: true })
    }
    if (agent.manner === 'busy') {
      end('failed', 'Worker w1 still has 1 job.')
      throw new Problem('timeout', 'Worker w1 still has 1 job.', {
        workerId: 'w1',
        activeJobs: 1,
        deployStatus: 'failed',
      })
    }
    end('completed', null)
    return { success: true, message: 'done', imageTag: tag, elapsedMs: 1 }
  }
}

function record(id: number, imageTag: string, kind: 'deploy' | 'rollback', more: Partial<DeployRecord>): DeployRecord {
  return {
    ...{ id, imageTag, kind, digest: null, previousTag: null, previousDigest: null, status: 'deploying', step: 'pull' },
    ...{ operator: 'ada', startedAt: at, finishedAt: null, errorMessage: null },
    ...more,
  }
}

/** A store in memory that keeps text, as a file does; `onSave` may end the console at that very moment. */
export class MemoryRollouts {
  readonly #kept = new Map<number, string>()
  readonly story: RolloutStep[] = []
  onSave: () => void = () => {}

  add(rollout: Rollout): Rollout {
    return this.#keep({ ...rollout, id: this.#kept.size + 1 })
  }

  save(_before: Rollout, after: Rollout, story: readonly RolloutStep[]): Rollout {
    this.story.push(...story)
    return this.#keep(after)
  }

  get(id: number): Rollout | undefined {
    const text = this.#kept.get(id)
    return text === undefined ? undefined : rolloutSchema.parse(JSON.parse(text))
  }

  open(): Rollout[] {
    return [...this.#kept.keys()].flatMap((id) => this.get(id) ?? []).filter(({ endedAt }) => endedAt === null)
  }

  steps = () => this.story
  list = () => []

  #keep(rollout: Rollout): Rollout {
    this.#kept.set(rollout.id, JSON.stringify(rollout))
    this.onSave()
    return rollout
  }
}
