import type { deployCalls } from '../../shared/ipc-deploys.ts'
import type { Deploys } from '../deploys/deploys.ts'
import type { Store } from '../store/store.ts'
import type { IpcHandlers } from './dispatch.ts'
import { UnderWay } from './under-way.ts'

export interface DeployHandlerDeps {
  deploys: Deploys
  store: Pick<Store, 'rollouts'>
  operator: () => string
}

/** Deploys over several machines, and where new images come from. */
export function deployHandlers({
  deploys,
  store,
  operator,
}: DeployHandlerDeps): Pick<IpcHandlers, keyof typeof deployCalls> {
  const { rollouts, feeds } = deploys
  const plans = new UnderWay()
  return {
    'deploys.active': () => ({ rollouts: rollouts.active(), progress: rollouts.progress() }),
    'deploys.history': (filter) => ({ rollouts: store.rollouts.list(filter) }),
    'deploys.get': ({ rolloutId }) => ({ rollout: rollouts.get(rolloutId), steps: store.rollouts.steps(rolloutId) }),
    'deploys.plan': (wish, caller) => plans.run(wish.planId, caller, (signal) => deploys.plan(wish, signal)),
    'deploys.stopPlan': ({ planId }) => {
      plans.cancel(planId)
      return {}
    },
    'deploys.start': (wish) => deploys.begin(wish, operator()),
    'deploys.pause': ({ rolloutId }) => rollouts.pause(rolloutId),
    'deploys.resume': ({ rolloutId }) => rollouts.resume(rolloutId),
    'deploys.cancel': ({ rolloutId }) => rollouts.cancel(rolloutId),
    'deploys.retry': ({ rolloutId, machineIds, force }) => rollouts.retry(rolloutId, machineIds, force),
    'deploys.rollBack': ({ rolloutId, machineIds }) => deploys.rollBack(rolloutId, machineIds, operator()),
    'deploys.rollBackMachine': ({ machineId, force }) => deploys.rollBackMachine(machineId, force, operator()),

    'registry.list': () => feeds.list(),
    'registry.set': ({ environment, config }) => feeds.set(environment, config),
    'registry.setLogin': async ({ environment, ...account }) => ({ kept: await feeds.setLogin(environment, account) }),
    'registry.removeLogin': ({ environment }) => feeds.removeLogin(environment),
    'registry.look': ({ environment }) => feeds.look(environment),
    'registry.dismiss': ({ environment, tag, digest }) => feeds.dismiss(environment, tag, digest),
  }
}
