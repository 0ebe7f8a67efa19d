import { isUp } from '../../../shared/domain/lifecycle.ts'
import { type ConsoleAction, onMachine, onTab } from '../../app/action-kit.ts'
import { go } from '../../app/route.ts'
import { useFleetView } from '../fleet/view.store.ts'
import { running, useDeploys } from './deploys.store.ts'
import { tagText } from './look.ts'
import { cancelRollout, openNewDeploy, pauseRollout, resumeRollout, rollBackMachine } from './operations.ts'

/** The deploy that keys and palette mean: the newest that has not ended. */
const current = () => running(useDeploys.getState().rollouts)[0]

export const deployActions: readonly ConsoleAction[] = [
  {
    id: 'go.deploys',
    title: () => 'Go to Deploys',
    group: 'Go',
    keys: 'g e',
    when: () => true,
    run: () => go({ screen: 'deploys' }),
  },
  {
    id: 'deploys.new',
    title: () => 'New deploy…',
    group: 'Deploys',
    keys: 'd n',
    when: () => true,
    run: ({ machine }) => openNewDeploy(machine === null ? [] : [machine.id]),
  },
  {
    id: 'fleet.deploy',
    title: () => 'Deploy to the selected machines…',
    group: 'Deploys',
    keys: 'd f',
    when: ({ route }) => route.screen === 'fleet' && useFleetView.getState().selected.size > 0,
    run: () => openNewDeploy([...useFleetView.getState().selected]),
  },
  {
    id: 'deploys.pause',
    title: () => `Pause the deploy of ${tagText(current()?.tag ?? '')}`,
    group: 'Deploys',
    keys: 'd p',
    when: () => current()?.status === 'running',
    run: () => {
      const rollout = current()
      if (rollout !== undefined) void pauseRollout(rollout)
    },
  },
  {
    id: 'deploys.resume',
    title: () => `Go on with the deploy of ${tagText(current()?.tag ?? '')}`,
    group: 'Deploys',
    keys: 'd o',
    when: () => ['paused', 'interrupted'].includes(current()?.status ?? ''),
    run: () => {
      const rollout = current()
      if (rollout !== undefined) void resumeRollout(rollout)
    },
  },
  {
    id: 'deploys.cancel',
    title: () => `Cancel the deploy of ${tagText(current()?.tag ?? '')}…`,
    group: 'Deploys',
    keys: 'd c',
    when: () => current() !== undefined,
    run: () => {
      const rollout = current()
      if (rollout !== undefined) cancelRollout(rollout)
    },
  },
  onMachine({
    id: 'machine.deploys',
    title: () => 'Show Deploys',
    group: 'Machine',
    keys: 'm d',
    when: (_machine, context) => !onTab(context, 'deploys'),
    run: (machine) => go({ screen: 'machine', machineId: machine.id, tab: 'deploys' }),
  }),
  onMachine({
    id: 'machine.roll-back',
    title: (machine) => `Roll back ${machine.name}…`,
    group: 'Deploys',
    keys: 'd r',
    when: isUp,
    run: (machine) => rollBackMachine(machine),
  }),
]
