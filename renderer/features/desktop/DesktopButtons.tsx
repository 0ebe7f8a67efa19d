import { Monitor, MonitorOff } from 'lucide-react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import type { DesktopView } from './desktop.store.ts'
import { startDesktop, stopDesktop } from './operations.ts'

/** The other thing a display can be used for; nothing where the agent knows of no desktops. */
export function StartDesktop({ machine, desktop }: { machine: MachineView; desktop: DesktopView | null }) {
  const busy = useBusy(`desktop:${machine.id}`)
  if (desktop === null) return null
  return (
    <Button
      icon={<Monitor size={15} aria-hidden />}
      busy={busy}
      title="A display with a window manager, without a browser"
      data-testid="start-desktop"
      onClick={() => void startDesktop(machine)}
    >
      Start a desktop
    </Button>
  )
}

export function StopDesktop({ machine }: { machine: MachineView }) {
  const busy = useBusy(`desktop:${machine.id}`)
  return (
    <IconButton
      label="Stop the desktop"
      icon={<MonitorOff size={15} aria-hidden />}
      busy={busy}
      data-testid="stop-desktop"
      onClick={() => stopDesktop(machine)}
    />
  )
}
