import { type ConsoleAction, onMachine, onTab } from '../../app/action-kit.ts'
import { go, type MachineTab } from '../../app/route.ts'
import { rotateSecret } from '../connection/operations.ts'
import { compareEnv } from '../env/operations.ts'
import { openRunTask } from '../task/operations.ts'
import { restartAgent, restartBrowser, restartServices, terminate } from './operations.ts'
import { isReachable } from './reach.ts'

const showTab = (tab: MachineTab, title: string, keys: string): ConsoleAction =>
  onMachine({
    id: `machine.${tab}`,
    title: () => `Show ${title}`,
    group: 'Machine',
    keys,
    when: (_machine, context) => !onTab(context, tab),
    run: (machine) => go({ screen: 'machine', machineId: machine.id, tab }),
  })

/** The tabs of the open machine, what is done in them, and the screen of all workers. */
export const tabActions: readonly ConsoleAction[] = [
  showTab('timeline', 'Timeline', 'm h'),
  showTab('workers', 'Workers', 'm k'),
  showTab('containers', 'Containers', 'm c'),
  showTab('env', 'Env', 'm e'),
  showTab('audit', 'Audit', 'm u'),
  showTab('connection', 'Connection', 'm n'),
  {
    id: 'go.workers',
    title: () => 'Go to Workers',
    group: 'Go',
    keys: 'g w',
    when: () => true,
    run: () => go({ screen: 'workers' }),
  },
  onMachine({
    id: 'machine.run-task',
    title: (machine) => `Run a task on ${machine.name}…`,
    group: 'Machine',
    keys: 'm x',
    when: isReachable,
    run: openRunTask,
  }),
  onMachine({
    id: 'machine.compare-env',
    title: (machine) => `Compare the variables of ${machine.name}…`,
    group: 'Machine',
    keys: 'm v',
    run: (machine) => compareEnv([machine.id]),
  }),
  onMachine({
    id: 'machine.restart-browser',
    title: (machine) => `Restart the browser on ${machine.name}…`,
    group: 'Machine',
    keys: 'm b',
    when: (machine) => isReachable(machine) && machine.browser?.state === 'active',
    run: restartBrowser,
  }),
  onMachine({
    id: 'machine.restart-services',
    title: (machine) => `Restart the services on ${machine.name}…`,
    group: 'Machine',
    keys: 'm s',
    when: (machine) => isReachable(machine) && machine.capabilities['docker']?.available === true,
    run: restartServices,
  }),
  onMachine({
    id: 'machine.restart-agent',
    title: () => 'Restart the agent of this computer…',
    group: 'Machine',
    keys: 'm a',
    when: (machine) => isReachable(machine) && machine.tunnel.kind === 'local',
    run: restartAgent,
  }),
  onMachine({
    id: 'machine.rotate-secret',
    title: (machine) => `Rotate the secret of ${machine.name}…`,
    group: 'Machine',
    keys: 'm y',
    when: (machine) => isReachable(machine) && machine.tunnel.kind !== 'local',
    run: (machine) => rotateSecret(machine),
  }),
  onMachine({
    id: 'machine.terminate',
    title: (machine) => `Terminate ${machine.name}…`,
    group: 'Power',
    keys: 'm z',
    when: (machine) => isReachable(machine) || (machine.provider?.kind === 'ec2' && machine.state !== 'terminated'),
    run: terminate,
  }),
]
