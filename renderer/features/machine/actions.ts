import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { browserIs, type ConsoleAction, onMachine, onTab } from '../../app/action-kit.ts'
import { togglePin } from '../../app/pins.ts'
import { go } from '../../app/route.ts'
import { useUi } from '../../app/ui.store.ts'
import { openMachineWindow } from '../../app/windows.ts'
import { desktopOf } from '../desktop/desktop.store.ts'
import { startDesktop, stopDesktop } from '../desktop/operations.ts'
import { openUpgrade } from '../enroll/Upgrade.tsx'
import { openAutoStop, openEdit, openSecret, rebootMachine, stopMachine, uninstall, wake } from '../power/operations.ts'
import { openGiveBack, removeMachine, startBrowser, stopBrowser, takeOver, verify } from './operations.ts'

const hasDesktop = ({ id }: MachineView) => desktopOf(id)?.state === 'active'

/** What can be done with the machine whose page is open. */
export const machineActions: readonly ConsoleAction[] = [
  onMachine({
    id: 'machine.take-over',
    title: ({ name, lease }) =>
      lease == null ? `Take over ${name}` : `Take over ${name}: ${lease.operator} has control`,
    group: 'Control',
    keys: 't',
    // Not hidden while someone else has it: whoever presses the key is to hear why it does nothing.
    when: (machine) =>
      isUp(machine) && (browserIs(machine, 'active') || hasDesktop(machine)) && machine.lease?.mine !== true,
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
    when: (machine) => isUp(machine) && machine.power.actions.includes('stop'),
    run: stopMachine,
  }),
  onMachine({
    id: 'machine.reboot',
    title: (machine) => `Reboot ${machine.name}…`,
    group: 'Power',
    keys: 'shift+r',
    when: (machine) => isUp(machine) && machine.power.actions.includes('reboot'),
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
    when: (machine) =>
      isUp(machine) && browserIs(machine, 'inactive', 'failed', 'install_required') && !hasDesktop(machine),
    run: (machine) => void startBrowser(machine),
  }),
  onMachine({
    id: 'browser.stop',
    title: (machine) => `Stop browser on ${machine.name}`,
    group: 'Machine',
    keys: 'shift+b',
    when: (machine) => isUp(machine) && browserIs(machine, 'active', 'starting'),
    run: stopBrowser,
  }),
  onMachine({
    id: 'desktop.start',
    title: (machine) => `Start a desktop on ${machine.name}`,
    group: 'Machine',
    keys: 'm w',
    when: (machine) =>
      isUp(machine) &&
      browserIs(machine, 'inactive', 'failed', 'install_required') &&
      ['inactive', 'failed', 'install_required'].includes(desktopOf(machine.id)?.state ?? ''),
    run: (machine) => void startDesktop(machine),
  }),
  onMachine({
    id: 'desktop.stop',
    title: (machine) => `Stop the desktop on ${machine.name}`,
    group: 'Machine',
    keys: 'm o',
    when: (machine) => isUp(machine) && hasDesktop(machine),
    run: stopDesktop,
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
    id: 'machine.window',
    title: (machine) => `Open ${machine.name} in a window of its own`,
    group: 'Machine',
    keys: 'shift+o',
    run: (machine, { route }) => openMachineWindow(machine.id, route.screen === 'machine' ? route.tab : 'live'),
  }),
  onMachine({
    id: 'machine.pin',
    title: (machine, context) => `${context.pinned ? 'Unpin' : 'Pin'} ${machine.name}`,
    group: 'Machine',
    keys: 'p',
    run: (machine) => togglePin(machine.id),
  }),
  onMachine({
    id: 'machine.upgrade',
    title: (machine) => `Update the agent of ${machine.name}…`,
    group: 'Machine',
    keys: 'm g',
    when: (machine) => machine.tunnel.kind === 'ssh',
    run: openUpgrade,
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
]
