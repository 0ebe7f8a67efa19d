import { AppWindow, Boxes, Power, RotateCw, ServerCog } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, type MenuEntry } from '../../ui/Menu.tsx'
import { useWide } from '../../ui/useWide.ts'
import { rebootMachine } from '../power/operations.ts'
import { restartAgent, restartBrowser, restartServices } from './operations.ts'
import { isReachable, whyNot } from './reach.ts'

/** What of a machine can be restarted: its browser, its services, its agent, itself. */
export function RestartMenu({ machine }: { machine: MachineView }) {
  const wide = useWide(1280)
  const browser = useBusy(`browser:${machine.id}`)
  const services = useBusy(`services:${machine.id}`)
  const agent = useBusy(`agent:${machine.id}`)
  const entries = restartEntries(machine)
  const trigger = (
    <Button
      icon={<RotateCw size={15} aria-hidden />}
      busy={browser || services || agent}
      disabled={entries.length === 0}
      title={entries.length === 0 ? whyNot(machine) : undefined}
      aria-label="Restart"
      data-testid="restart"
    >
      {wide && 'Restart'}
    </Button>
  )
  return entries.length === 0 ? trigger : <Menu trigger={trigger} entries={entries} />
}

export function restartEntries(machine: MachineView): MenuEntry[] {
  if (!isReachable(machine)) return []
  const entries: (MenuEntry | false)[] = [
    machine.browser?.state === 'active' && {
      id: 'restart.browser',
      title: 'Browser…',
      icon: <AppWindow size={15} aria-hidden />,
      keys: keysOf('machine.restart-browser'),
      run: () => restartBrowser(machine),
    },
    machine.capabilities['docker']?.available === true && {
      id: 'restart.services',
      title: 'Services…',
      icon: <Boxes size={15} aria-hidden />,
      keys: keysOf('machine.restart-services'),
      run: () => restartServices(machine),
    },
    machine.tunnel.kind === 'local' && {
      id: 'restart.agent',
      title: 'Agent…',
      icon: <ServerCog size={15} aria-hidden />,
      keys: keysOf('machine.restart-agent'),
      run: () => restartAgent(machine),
    },
    machine.power.actions.includes('reboot') && {
      id: 'restart.machine',
      title: 'The whole machine…',
      icon: <Power size={15} aria-hidden />,
      keys: keysOf('machine.reboot'),
      separated: true,
      run: () => rebootMachine(machine),
    },
  ]
  return entries.filter((entry) => entry !== false)
}
