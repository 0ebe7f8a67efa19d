import { Pencil, Power, PowerOff, RotateCw, Sunrise, Timer } from 'lucide-react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, type MenuEntry } from '../../ui/Menu.tsx'
import { useWide } from '../../ui/useWide.ts'
import { openAutoStop, openEdit, powerKey, rebootMachine, startMachine, stopMachine, wake } from './operations.ts'

/** Start, stop, reboot and auto-stop, as far as this kind of machine can. */
export function PowerMenu({ machine }: { machine: MachineView }) {
  const busy = useBusy(powerKey(machine))
  const wide = useWide(1280)
  return (
    <Menu
      trigger={
        <Button icon={<Power size={15} aria-hidden />} busy={busy} aria-label="Power" data-testid="power">
          {wide && 'Power'}
        </Button>
      }
      entries={powerEntries(machine)}
    />
  )
}

export function powerEntries(machine: MachineView): MenuEntry[] {
  const can = (action: MachineView['power']['actions'][number]) => machine.power.actions.includes(action)
  const off = machine.state !== 'running' && machine.state !== 'starting'
  const on = isUp(machine) || machine.state === 'starting'
  const entries: (MenuEntry | false)[] = [
    off && {
      id: 'power.wake',
      title: 'Wake',
      icon: <Sunrise size={15} aria-hidden />,
      keys: keysOf('machine.wake'),
      run: () => void wake(machine),
    },
    can('start') &&
      off && {
        id: 'power.start',
        title: 'Start',
        icon: <Power size={15} aria-hidden />,
        run: () => void startMachine(machine),
      },
    can('stop') &&
      on && {
        id: 'power.stop',
        title: 'Stop…',
        icon: <PowerOff size={15} aria-hidden />,
        danger: true,
        run: () => stopMachine(machine),
      },
    can('reboot') &&
      on && {
        id: 'power.reboot',
        title: 'Reboot…',
        icon: <RotateCw size={15} aria-hidden />,
        run: () => rebootMachine(machine),
      },
    can('stop') && {
      id: 'power.auto-stop',
      title: machine.autoStop.enabled ? `Auto-stop after ${machine.autoStop.idleMinutes} min…` : 'Auto-stop…',
      icon: <Timer size={15} aria-hidden />,
      separated: true,
      run: () => openAutoStop(machine),
    },
    machine.tunnel.kind !== 'local' && {
      id: 'machine.edit',
      title: 'Edit machine…',
      icon: <Pencil size={15} aria-hidden />,
      run: () => openEdit(machine),
    },
  ]
  const offered = entries.filter((entry) => entry !== false)
  if (offered.length > 0) return offered
  return [{ id: 'power.none', title: 'It is on while this console runs', run: () => {} }]
}
