import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { machineCondition } from '../live/condition.ts'
import { LivePanel } from '../live/LivePanel.tsx'
import { drawCopy, lastPicture } from '../live/pictures.ts'
import styles from './NeedsMachine.module.css'
import { usePanelAction } from './usePanelAction.ts'

/** What can only be shown of a machine that is there; otherwise the panel says why not, over its last picture. */
export function NeedsMachine({ machine, children }: { machine: MachineView; children: ReactNode }) {
  const condition = machineCondition(machine)
  const { busy, act } = usePanelAction(machine)
  if (condition === null) return children
  return (
    <div className={styles.stage} data-testid="needs-machine">
      <LastPicture machineId={machine.id}>
        {(pictureAt) => (
          <LivePanel machineId={machine.id} condition={condition} pictureAt={pictureAt} busy={busy} onAction={act} />
        )}
      </LastPicture>
    </div>
  )
}

function LastPicture({ machineId, children }: { machineId: string; children: (at: number | null) => ReactNode }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<number | null>(null)
  useEffect(() => {
    const picture = lastPicture(machineId)
    setAt(picture?.at ?? null)
    if (picture !== undefined && canvas.current !== null) drawCopy(picture.canvas, canvas.current)
  }, [machineId])
  return (
    <>
      <canvas ref={canvas} className={styles.picture} width={0} height={0} aria-hidden />
      {children(at)}
    </>
  )
}
