import type { MachineView } from '../../shared/domain/machine.ts'
import type { Settings } from '../../shared/ipc.ts'
import { tryLocal } from '../features/firstrun/local.store.ts'
import { localMachine, useFleet } from '../features/fleet/fleet.store.ts'
import {
  openGiveBack,
  removeMachine,
  startBrowser,
  stopBrowser,
  takeOver,
  verify,
} from '../features/machine/operations.ts'
import {
  openAutoStop,
  openEdit,
  openSecret,
  rebootMachine,
  stopMachine,
  uninstall,
  wake,
} from '../features/power/operations.ts'
import { saveSettings, useApp } from './app.store.ts'
import { togglePin, usePins } from './pins.ts'
import type { Action } from './registry.ts'
import { go, type Route, useRoute } from './route.ts'
import { show, useUi } from './ui.store.ts'
import { work } from './work.ts'

export interface ActionContext {
  route: Route
  /** The machine whose page is open. */
  machine: MachineView | null
  local: MachineView | null
  theme: Settings['theme']
  dark: boolean
  pinned: boolean
}

/** What the actions can see, as things are now. */
export function actionContext(): ActionContext {
  const { route } = useRoute.getState()
  const { machines } = useFleet.getState()
  const machine = route.screen === 'machine' ? (machines[route.machineId] ?? null) : null
  return {
    route,
    machine,
    local: localMachine(machines) ?? null,
    theme: useApp.getState().info?.settings.theme ?? 'system',
    dark: document.documentElement.dataset['theme'] === 'dark',
    pinned: machine !== null && usePins.getState().pins.includes(machine.id),
  }
}

type MachineAction = Omit<Action<ActionContext>, 'title' | 'when' | 'run'> & {
  title: (machine: MachineView, context: ActionContext) => string
  when?: (machine: MachineView, context: ActionContext) => boolean
  run: (machine: MachineView, context: ActionContext) => void
}

/** An action of the machine whose page is open; without one it is not there. */
function onMachine({ title, when, run, ...rest }: MachineAction): Action<ActionContext> {
  return {
    ...rest,
    title: (context) => (context.machine === null ? '' : title(context.machine, context)),
    when: (context) => context.machine !== null && (when?.(context.machine, context) ?? true),
    run: (context) => {
      if (context.machine !== null) run(context.machine, context)
    },
  }
}

const running = (machine: MachineView) => machine.state === 'running'
const browserIs = (machine: MachineView, ...states: string[]) => states.includes(machine.browser?.state ?? '')
const onTab = (context: ActionContext, tab: string) => context.route.screen === 'machine' && context.route.tab === tab

export const actions: readonly Action<ActionContext>[] = [
  onMachine({
    id: 'machine.take-over',
    title: (machine) => `Take over ${machine.name}`,
    group: 'Control',
    keys: 't',
    when: (machine) => running(machine) && browserIs(machine, 'active') && machine.lease === null,
    run: (machine) => void takeOver(machine),
  }),
  onMachine({
    id: 'machine.give-back',
    title: (machine) => `Give back ${machine.name}`,
    group: 'Control',
    keys: 'ctrl+alt+g',
    always: true,
    when: (machine) => machine.lease?.mine === true,
    run: openGiveBack,
  }),
  onMachine({
    id: 'live.leave',
    title: () => 'Take the keyboard back from the picture',
    group: 'Control',
    keys: 'ctrl+alt+k',
    always: true,
    when: (machine, context) => machine.lease?.mine === true && onTab(context, 'live'),
    run: () => document.querySelector<HTMLElement>('[data-testid="give-back"]')?.focus(),
  }),
  onMachine({
    id: 'live.fill',
    title: () => (useUi.getState().liveFilled ? 'Leave full screen' : 'Live view in full screen'),
    group: 'Control',
    keys: 'ctrl+alt+f',
    always: true,
    when: (_machine, context) => onTab(context, 'live'),
    run: () => useUi.setState((state) => ({ liveFilled: !state.liveFilled })),
  }),
  onMachine({
    id: 'machine.verify',
    title: (machine) => `Health check ${machine.name}`,
    group: 'Machine',
    keys: 'h',
    run: (machine) => void verify(machine),
  }),
  onMachine({
    id: 'machine.wake',
    title: (machine) => `Wake ${machine.name}`,
    group: 'Power',
    keys: 'w',
    when: (machine) => !['running', 'starting'].includes(machine.state),
    run: (machine) => void wake(machine),
  }),
  onMachine({
    id: 'machine.stop',
    title: (machine) => `Stop ${machine.name}…`,
    group: 'Power',
    keys: 'shift+w',
    when: (machine) => running(machine) && machine.power.actions.includes('stop'),
    run: stopMachine,
  }),
  onMachine({
    id: 'machine.reboot',
    title: (machine) => `Reboot ${machine.name}…`,
    group: 'Power',
    keys: 'shift+r',
    when: (machine) => running(machine) && machine.power.actions.includes('reboot'),
    run: rebootMachine,
  }),
  onMachine({
    id: 'machine.auto-stop',
    title: (machine) => `Auto-stop of ${machine.name}…`,
    group: 'Power',
    keys: 'shift+a',
    when: (machine) => machine.power.actions.includes('stop'),
    run: openAutoStop,
  }),
  onMachine({
    id: 'machine.edit',
    title: (machine) => `Edit ${machine.name}…`,
    group: 'Machine',
    keys: 'e',
    when: (machine) => machine.tunnel.kind !== 'local',
    run: openEdit,
  }),
  onMachine({
    id: 'machine.secret',
    title: (machine) => `Enter the secret of ${machine.name}…`,
    group: 'Machine',
    keys: 'shift+e',
    when: (machine) => machine.tunnel.kind !== 'local',
    run: openSecret,
  }),
  onMachine({
    id: 'browser.start',
    title: (machine) => `Start browser on ${machine.name}`,
    group: 'Machine',
    keys: 'b',
    when: (machine) => running(machine) && browserIs(machine, 'inactive', 'failed', 'install_required'),
    run: (machine) => void startBrowser(machine),
  }),
  onMachine({
    id: 'browser.stop',
    title: (machine) => `Stop browser on ${machine.name}`,
    group: 'Machine',
    keys: 'shift+b',
    when: (machine) => running(machine) && browserIs(machine, 'active', 'starting'),
    run: stopBrowser,
  }),
  onMachine({
    id: 'machine.live',
    title: () => 'Show Live',
    group: 'Machine',
    keys: 'l',
    when: (_machine, context) => !onTab(context, 'live'),
    run: (machine) => go({ screen: 'machine', machineId: machine.id, tab: 'live' }),
  }),
  onMachine({
    id: 'machine.overview',
    title: () => 'Show Overview',
    group: 'Machine',
    keys: 'o',
    when: (_machine, context) => !onTab(context, 'overview'),
    run: (machine) => go({ screen: 'machine', machineId: machine.id, tab: 'overview' }),
  }),
  onMachine({
    id: 'machine.pin',
    title: (machine, context) => `${context.pinned ? 'Unpin' : 'Pin'} ${machine.name}`,
    group: 'Machine',
    keys: 'p',
    run: (machine) => togglePin(machine.id),
  }),
  onMachine({
    id: 'machine.uninstall',
    title: (machine) => `Uninstall the agent from ${machine.name}…`,
    group: 'Machine',
    keys: 'shift+u',
    when: (machine) => machine.tunnel.kind === 'ssh',
    run: uninstall,
  }),
  onMachine({
    id: 'machine.remove',
    title: (machine) => `Remove ${machine.name}…`,
    group: 'Machine',
    keys: 'shift+x',
    run: removeMachine,
  }),
  {
    id: 'local.start',
    title: () => 'Try it on this computer',
    group: 'Fleet',
    keys: 'shift+l',
    when: ({ local }) => local === null || !['running', 'starting'].includes(local.state),
    run: () => void tryLocal(),
  },
  {
    id: 'machine.add',
    title: () => 'Add a machine…',
    group: 'Fleet',
    keys: 'a',
    when: () => true,
    run: () => show('add-machine'),
  },
  {
    id: 'fleet.search',
    title: () => 'Search the fleet',
    group: 'Fleet',
    keys: '/',
    when: ({ route }) => route.screen === 'fleet',
    run: () => document.querySelector<HTMLElement>('[data-testid="fleet-search"]')?.focus(),
  },
  {
    id: 'go.fleet',
    title: () => 'Go to Fleet',
    group: 'Go',
    keys: 'g f',
    when: () => true,
    run: () => go({ screen: 'fleet' }),
  },
  {
    id: 'machine.enroll',
    title: () => 'Install the agent over SSH…',
    group: 'Fleet',
    keys: 'shift+i',
    when: () => true,
    run: () => show('enroll'),
  },
  {
    id: 'machine.discover',
    title: () => 'Find machines in EC2…',
    group: 'Fleet',
    keys: 'shift+f',
    when: () => true,
    run: () => show('discover'),
  },
  {
    id: 'go.audit',
    title: () => 'Go to Audit',
    group: 'Go',
    keys: 'g a',
    when: () => true,
    run: () => go({ screen: 'audit' }),
  },
  {
    id: 'go.diagnostics',
    title: () => 'Go to Diagnostics',
    group: 'Go',
    keys: 'g d',
    when: () => true,
    run: () => go({ screen: 'diagnostics' }),
  },
  {
    id: 'go.settings',
    title: () => 'Go to Settings',
    group: 'Go',
    keys: 'mod+,',
    when: () => true,
    run: () => go({ screen: 'settings' }),
  },
  {
    id: 'theme.toggle',
    title: ({ dark }) => (dark ? 'Use the light theme' : 'Use the dark theme'),
    group: 'Window',
    keys: 'shift+d',
    when: () => true,
    run: ({ dark }) => void work('theme', 'Changing the theme', () => saveSettings({ theme: dark ? 'light' : 'dark' })),
  },
  {
    id: 'theme.system',
    title: () => 'Use the system’s theme',
    group: 'Window',
    keys: 'shift+s',
    when: ({ theme }) => theme !== 'system',
    run: () => void work('theme', 'Changing the theme', () => saveSettings({ theme: 'system' })),
  },
  {
    id: 'palette',
    title: () => 'Search or run a command',
    group: 'Window',
    keys: 'mod+k',
    when: () => true,
    run: () => show(useUi.getState().open === 'palette' ? 'none' : 'palette'),
  },
  {
    id: 'shortcuts',
    title: () => 'Show all keys',
    group: 'Window',
    keys: '?',
    when: () => true,
    run: () => show('shortcuts'),
  },
]

/** The keys of an action, for a button that does the same. */
export function keysOf(id: string): string | undefined {
  return actions.find((action) => action.id === id)?.keys
}
