import type { AgentEvent } from '../../shared/contract/index.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import { Problem } from '../../shared/errors.ts'
import type { IpcEventData, IpcParamsOut } from '../../shared/ipc.ts'
import type { FeedConfig, PendingTag } from '../../shared/ipc-deploys.ts'
import { type Clock, isoTime } from '../clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Log } from '../log.ts'
import type { Notice } from '../notifications.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../vault/vault.ts'
import { inOrder, planRollout } from './plan-rollout.ts'
import type { Environment } from './registry/feed-store.ts'
import { Feeds, type FeedsDeps } from './registry/feeds.ts'
import { RegistryLogins } from './registry/logins.ts'
import { Rollouts } from './rollouts.ts'
import { TellFailures } from './tell-failures.ts'
import { TellWindows } from './tell-windows.ts'

export interface DeploysDeps {
  fleet: Pick<Fleet, 'has' | 'call' | 'view' | 'list'>
  store: Store
  vault: Pick<Vault, 'get' | 'set' | 'delete' | 'list'>
  clock: Clock
  log: Log
  onFeed: FeedsDeps['onChanged']
  onNews: (news: IpcEventData<'deploys.changed'>) => void
  onPlanning: (news: IpcEventData<'deploys.planning'>) => void
  /** A machine did not get its image, and its own agent has not said so. */
  notify: (notice: Notice) => void
}

/** No machine is deployed to more often while one deploy of the fleet is under way. */
const heardDeploys = 20

/** Who deploys when nobody does. */
const decider = 'auto-deploy'

/** Everything about deploys over several machines: what a person asks for, and what new images ask for by themselves. */
export class Deploys {
  readonly rollouts: Rollouts
  readonly feeds: Feeds
  readonly #deps: DeploysDeps
  readonly #windows: TellWindows
  readonly #failures: TellFailures

  constructor(deps: DeploysDeps) {
    this.#deps = deps
    this.#windows = new TellWindows(deps.clock, deps.onNews)
    const { fleet, store, clock, log, notify } = deps
    this.#failures = new TellFailures({
      ...{ clock, notify },
      heardBefore: (machineId) =>
        store.events.lastOf(machineId, 'deploy_finished', heardDeploys).map(({ data }) => data),
    })
    this.rollouts = new Rollouts({
      ...{ machines: fleet, store, clock, log },
      onChanged: (rollout) => this.#windows.changed(rollout),
      onProgress: (progress) => this.#windows.progress(progress),
      onEnded: (rollout) => this.#ended(rollout),
    })
    this.feeds = new Feeds({
      ...{ store, clock, log, onChanged: deps.onFeed, logins: new RegistryLogins(deps.vault) },
      machinesIn: (environment) => this.#machinesIn(environment).length,
      deploy: (environment, config, tag) => this.#deployNew(environment, config, tag),
    })
  }

  start(): void {
    this.rollouts.start()
    this.feeds.start()
  }

  stop(): void {
    this.feeds.stop()
    this.rollouts.stop()
    this.#windows.stop()
    this.#failures.stop()
  }

  heard(machineId: string, event: AgentEvent): void {
    this.rollouts.heard(machineId, event)
    this.#failures.heard(machineId, event)
  }

  plan(
    { planId, machineIds, maxUnavailable }: IpcParamsOut<'deploys.plan'>,
    signal: AbortSignal,
  ): ReturnType<typeof planRollout> {
    const { fleet, clock, onPlanning } = this.#deps
    const onLooked = (looked: number) => onPlanning({ planId, looked })
    return planRollout(fleet, this.#chosen(machineIds), { maxUnavailable, clock, signal, onLooked })
  }

  begin(
    wish: { machineIds: readonly string[]; tag: string; force: boolean } & Pick<
      Rollout,
      'maxUnavailable' | 'onFailure'
    >,
    operator: string,
  ): Rollout {
    const { machineIds, ...rest } = wish
    const machines = inOrder(this.#chosen(machineIds)).map(asLeg)
    return this.rollouts.begin({ ...rest, ...this.#originOf(machines, wish.tag), operator, machines })
  }

  /** Back to what each machine recorded before, the last one first. */
  rollBack(id: number, machineIds: readonly string[] | undefined, operator: string): Rollout {
    const rollout = this.rollouts.get(id)
    const wanted = rollout.legs.filter(({ machineId }) => machineIds === undefined || machineIds.includes(machineId))
    const done = wanted.filter(({ state, agentDeployId }) => isDeployed(state) && agentDeployId !== null)
    if (done.length === 0) {
      throw new Problem(
        'conflict',
        'Nothing of it is deployed there: the machines that failed went back by themselves.',
      )
    }
    return this.rollouts.begin({
      ...{ kind: 'rollback', tag: commonTag(done), operator, rollbackOf: id, force: false },
      // One that cannot go back must not keep the others from it.
      ...{ maxUnavailable: rollout.maxUnavailable, onFailure: 'continue' },
      machines: [...done].reverse().map(({ machineId, name, environment, agentDeployId }) => ({
        ...{ machineId, name, environment, undoes: agentDeployId },
      })),
    })
  }

  /** Back to what the machine itself recorded before its newest deploy. */
  async rollBackMachine(machineId: string, force: boolean, operator: string): Promise<Rollout> {
    const machine = this.#deps.fleet.view(machineId)
    const { deploys } = await this.#deps.fleet.call(machineId, 'deploys.list', { pageSize: 50 }, { timeoutMs: 15_000 })
    const deployed = deploys.find(({ status }) => status === 'completed')
    if (deployed === undefined || deployed.previousDigest === null) {
      throw new Problem(
        'conflict',
        `${machine.name} has no earlier image on record. Deploy the one you want by its tag.`,
      )
    }
    const tag = deployed.previousTag ?? deployed.previousDigest
    const machines = [{ ...asLeg(machine), undoes: deployed.id }]
    return this.rollouts.begin({
      ...{ kind: 'rollback', tag, operator, force, machines, maxUnavailable: 1, onFailure: 'stop' },
    })
  }

  #ended(rollout: Rollout): void {
    this.#failures.ended(rollout)
    if (rollout.kind !== 'deploy' || rollout.status !== 'completed') return
    for (const environment of new Set(rollout.legs.map((leg) => leg.environment))) {
      void this.feeds.deployed(environment, rollout.tag)
    }
  }

  #deployNew(environment: Environment, config: FeedConfig, found: PendingTag): boolean {
    const { audit } = this.#deps.store
    const machineIds = this.#machinesIn(environment).map(({ id }) => id)
    if (machineIds.length === 0) return false
    const { tag, digest, deployAs, commit } = found
    const createdAt = isoTime(this.#deps.clock)
    const entry = audit.begin({
      ...{ sandboxId: null, operator: decider, action: 'deploy', createdAt },
      details: { environment, tag, digest, commit, machineIds },
    })
    const finish = (result: 'success' | 'failure', errorMessage: string | null) =>
      audit.finish(entry, { result, errorMessage, durationMs: 0, at: createdAt })
    try {
      const { maxUnavailable, onFailure } = config
      this.begin({ machineIds, tag: deployAs, maxUnavailable, onFailure, force: false }, decider)
      finish('success', null)
      return true
    } catch (error) {
      // Another deploy is under way there: this one has its turn at a later look.
      finish('failure', Problem.from(error).message)
      return false
    }
  }

  /** From the registry that found the image; one that was deployed before is no longer new there. */
  #originOf(
    machines: readonly { environment: Environment }[],
    tag: string,
  ): Pick<Rollout, 'commit' | 'commitMessage' | 'branch'> | undefined {
    for (const environment of new Set(machines.map((one) => one.environment))) {
      const found = this.feeds.originOf(environment, tag)
      if (found !== undefined) return { commit: found.commit, commitMessage: found.message, branch: found.branch }
      const earlier = this.#deps.store.rollouts.list({ environment, text: tag, limit: 50 })
      const same = earlier.find((one) => one.kind === 'deploy' && one.tag === tag && one.commit !== null)
      if (same !== undefined) return { commit: same.commit, commitMessage: same.commitMessage, branch: same.branch }
    }
    return undefined
  }

  /** Without this computer's own demonstration, which nobody deploys to by itself. */
  #machinesIn(environment: Environment): MachineView[] {
    return this.#deps.fleet.list().filter((one) => one.environment === environment && one.tunnel.kind !== 'local')
  }

  #chosen(machineIds: readonly string[]): MachineView[] {
    return [...new Set(machineIds)].map((id) => this.#deps.fleet.view(id))
  }
}

const asLeg = ({ id, name, environment }: MachineView) => ({ machineId: id, name, environment })

const isDeployed = (state: Leg['state']) => state === 'completed' || state === 'unhealthy'

function commonTag(legs: readonly Leg[]): string {
  const tags = new Set(legs.map(({ previousTag }) => previousTag))
  const [tag] = tags
  return tags.size === 1 && tag !== null && tag !== undefined ? tag : 'what was before'
}
