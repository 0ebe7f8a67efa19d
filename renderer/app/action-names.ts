import type { MachineView } from '../../shared/domain/machine.ts'
import type { ActionContext, ConsoleAction } from './action-kit.ts'

/** Where what an action is called at the moment says too little of what it is in general. */
const names: Record<string, string> = {
  'machine.give-back': 'Give back, also from within the picture',
  'live.fill': 'Live view in full screen, or not',
  'machine.pin': 'Pin or unpin the machine',
  'theme.toggle': 'Dark or light',
  'logs.pause': 'Pause the lines of a log, or go on',
  'fleet.map': 'The fleet as a map, or as a table',
  'audit.follow': 'Follow the audit live, or stop',
  'deploys.pause': 'Pause the deploy under way',
  'deploys.resume': 'Go on with the deploy that waits',
  'deploys.cancel': 'Cancel the deploy under way',
  'fleet.start': 'Start the selected machines',
  'fleet.stop': 'Stop the selected machines',
  'fleet.drain': 'Drain the selected machines',
  'fleet.run': 'Run a command on the selected machines',
  shortcuts: 'Show all keys',
}

/** Any machine: titles name the one they are about. */
const someMachine = { name: 'the machine' } as MachineView
const anywhere: ActionContext = {
  route: { screen: 'machine', machineId: '', tab: 'live' },
  machine: someMachine,
  local: null,
  theme: 'system',
  dark: true,
  pinned: false,
}

/** What an action is called where no machine is meant: in the list of keys. */
export function nameOf(action: Pick<ConsoleAction, 'id' | 'title'>): string {
  return names[action.id] ?? action.title(anywhere).replace(/…$/, '')
}
