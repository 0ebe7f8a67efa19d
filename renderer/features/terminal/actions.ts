import { type ConsoleAction, onMachine, onTab } from '../../app/action-kit.ts'
import { go } from '../../app/route.ts'
import { terminalHost } from './host.ts'
import { openTerminalOf } from './operations.ts'

/** What can be done with terminals. Keys with Ctrl+Shift and Ctrl+Alt work while the keyboard is the terminal's. */
export const terminalActions: readonly ConsoleAction[] = [
  onMachine({
    id: 'machine.terminal',
    title: () => 'Show Terminal',
    group: 'Machine',
    keys: 'm t',
    when: (_machine, context) => !onTab(context, 'terminal'),
    run: (machine) => go({ screen: 'machine', machineId: machine.id, tab: 'terminal' }),
  }),
  onMachine({
    id: 'terminal.new',
    title: (machine) => `New terminal on ${machine.name}`,
    group: 'Terminal',
    keys: 'ctrl+shift+t',
    always: true,
    run: (machine) => openTerminalOf(machine, 'agent'),
  }),
  onMachine({
    id: 'terminal.ssh',
    title: (machine) => `New terminal over SSH on ${machine.name}`,
    group: 'Terminal',
    keys: 'ctrl+shift+s',
    always: true,
    when: (machine) => machine.tunnel.kind === 'ssh',
    run: (machine) => openTerminalOf(machine, 'ssh'),
  }),
  onMachine({
    id: 'terminal.split-right',
    title: () => 'Split the terminal to the right',
    group: 'Terminal',
    keys: 'ctrl+shift+e',
    always: true,
    when: (_machine, context) => onTab(context, 'terminal'),
    run: (machine) => terminalHost.current?.split(machine.id, 'row'),
  }),
  onMachine({
    id: 'terminal.split-down',
    title: () => 'Split the terminal downwards',
    group: 'Terminal',
    keys: 'ctrl+shift+o',
    always: true,
    when: (_machine, context) => onTab(context, 'terminal'),
    run: (machine) => terminalHost.current?.split(machine.id, 'column'),
  }),
  onMachine({
    id: 'terminal.next',
    title: () => 'Next pane of the terminal',
    group: 'Terminal',
    keys: 'ctrl+alt+n',
    always: true,
    when: (_machine, context) => onTab(context, 'terminal'),
    run: (machine) => terminalHost.current?.focusNext(machine.id),
  }),
  onMachine({
    id: 'terminal.find',
    title: () => 'Find in the terminal',
    group: 'Terminal',
    keys: 'ctrl+shift+f',
    always: true,
    when: (_machine, context) => onTab(context, 'terminal'),
    run: (machine) => terminalHost.current?.find(machine.id),
  }),
  onMachine({
    id: 'terminal.close',
    title: () => 'Close this terminal…',
    group: 'Terminal',
    keys: 'ctrl+shift+w',
    always: true,
    when: (_machine, context) => onTab(context, 'terminal'),
    run: (machine) => terminalHost.current?.close(machine.id),
  }),
  onMachine({
    id: 'terminal.leave',
    title: () => 'Take the keyboard back from the terminal',
    group: 'Terminal',
    keys: 'ctrl+alt+x',
    always: true,
    when: (_machine, context) => onTab(context, 'terminal'),
    run: () => document.querySelector<HTMLElement>('[data-testid="tab-terminal"]')?.focus(),
  }),
]
