import { PanelsTopLeft } from 'lucide-react'
import type { MachineView } from '../../../../shared/domain/machine.ts'
import { useBusy } from '../../../app/work.ts'
import { Button } from '../../../ui/Button.tsx'
import { Kbd } from '../../../ui/Kbd.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import styles from '../Inspector.module.css'
import { devToolsKey, openDevTools } from './operations.ts'

interface OpenDevToolsProps {
  machine: MachineView
  targetId: string | undefined
}

export function OpenDevTools({ machine, targetId }: OpenDevToolsProps) {
  const busy = useBusy(devToolsKey(machine.id))
  return (
    <Tooltip
      text={
        <>
          Open full DevTools in a window <Kbd keys="i f" />
        </>
      }
    >
      <Button
        variant="ghost"
        className={styles.devTools}
        icon={<PanelsTopLeft size={15} aria-hidden />}
        aria-label="Open full DevTools in a window"
        busy={busy}
        disabled={targetId === undefined}
        data-testid="open-devtools"
        onClick={() => void openDevTools(machine, targetId)}
      >
        <span>DevTools</span>
      </Button>
    </Tooltip>
  )
}
