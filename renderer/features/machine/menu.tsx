import {
  AppWindow,
  Hand,
  Monitor,
  MonitorOff,
  OctagonX,
  Pencil,
  Pin,
  PinOff,
  Power,
  PowerOff,
  Stethoscope,
  Sunrise,
  Trash2,
} from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { ActionContext } from '../../app/action-kit.ts'
import { actionContext, currentActions } from '../../app/actions.ts'
import { usePins } from '../../app/pins.ts'
import { available } from '../../app/registry.ts'
import { go } from '../../app/route.ts'
import type { MenuEntry } from '../../ui/Menu.tsx'

const icons: Record<string, MenuEntry['icon']> = {
  'machine.take-over': <Hand size={15} aria-hidden />,
  'machine.give-back': <Hand size={15} aria-hidden />,
  'machine.verify': <Stethoscope size={15} aria-hidden />,
  'machine.wake': <Sunrise size={15} aria-hidden />,
  'machine.stop': <PowerOff size={15} aria-hidden />,
  'machine.edit': <Pencil size={15} aria-hidden />,
  'browser.start': <Power size={15} aria-hidden />,
  'browser.stop': <Power size={15} aria-hidden />,
  'desktop.start': <Monitor size={15} aria-hidden />,
  'desktop.stop': <MonitorOff size={15} aria-hidden />,
  'machine.window': <AppWindow size={15} aria-hidden />,
  'machine.terminate': <OctagonX size={15} aria-hidden />,
  'machine.remove': <Trash2 size={15} aria-hidden />,
}

const offered = [
  'machine.window',
  'machine.take-over',
  'machine.give-back',
  'machine.verify',
  'machine.wake',
  'browser.start',
  'browser.stop',
  'desktop.start',
  'desktop.stop',
  'machine.stop',
  'machine.edit',
  'machine.pin',
  'machine.terminate',
  'machine.upgrade',
  'machine.uninstall',
  'machine.remove',
]

const separated: ReadonlySet<string> = new Set(['machine.pin', 'machine.terminate'])

/** On the machine's own page these stand in the menu beside. */
const inPowerMenu: ReadonlySet<string> = new Set(['machine.wake', 'machine.stop', 'machine.edit'])

/** A machine's actions as a menu: the same ones that keys and palette have on its page. */
export function machineMenu(machine: MachineView, opened = false): MenuEntry[] {
  const pinned = usePins.getState().pins.includes(machine.id)
  const context: ActionContext = {
    ...actionContext(),
    route: { screen: 'machine', machineId: machine.id, tab: 'live' },
    machine,
    pinned,
  }
  const pinIcon = pinned ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />
  const entries = available(currentActions(), context)
    .filter(({ id }) => offered.includes(id) && !(opened && inPowerMenu.has(id)))
    .sort((a, b) => offered.indexOf(a.id) - offered.indexOf(b.id))
    .map<MenuEntry>((action) => ({
      id: action.id,
      title: action
        .title(context)
        .replace(` ${machine.name}`, '')
        .replace(/ (on|of)$/, '')
        .replace(/ (from|of)…$/, '…'),
      icon: action.id === 'machine.pin' ? pinIcon : icons[action.id],
      // Keys work on the page of the open machine, so only there are they shown.
      keys: opened ? action.keys : undefined,
      danger: ['machine.remove', 'machine.terminate', 'machine.stop'].includes(action.id),
      separated: separated.has(action.id),
      run: () => action.run(context),
    }))
  if (opened) return entries
  return [
    {
      id: 'open',
      title: 'Open',
      icon: <Monitor size={15} aria-hidden />,
      run: () => go({ screen: 'machine', machineId: machine.id, tab: 'live' }),
    },
    ...entries,
  ]
}
