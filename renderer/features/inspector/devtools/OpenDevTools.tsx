import { PanelsTopLeft } from 'lucide-react'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { useBusy } from '../../../app/work.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { devToolsKey, openDevTools } from './operations.ts'

interface OpenDevToolsProps {
  machine: MachineView
  targetId: string | undefined
}

export function OpenDevTools({ machine, targetId }: OpenDevToolsProps) {
  const busy = useBusy(devToolsKey(machine.id))
  return (
    <IconButton
      label="Open full DevTools in a window"
      keys="i f"
      icon={<PanelsTopLeft size={15} aria-hidden />}
      busy={busy}
      disabled={targetId === undefined}
      data-testid="open-devtools"
      onClick={() => void openDevTools(machine, targetId)}
    />
  )
}
