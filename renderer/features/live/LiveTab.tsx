import { Eye } from 'lucide-react'
import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { BrowserViewer } from './BrowserViewer.tsx'
import styles from './live.module.css'
import { Timeline } from './Timeline.tsx'

/** The live view with what stands beside it. */
export function LiveTab({ machine }: { machine: MachineView }) {
  const [connected, setConnected] = useState(false)
  const others = Math.max(0, machine.viewers - (connected ? 1 : 0))
  return (
    <div className={styles.tab}>
      <BrowserViewer
        key={machine.id}
        machine={machine}
        onConnect={() => setConnected(true)}
        onDisconnect={() => setConnected(false)}
      />
      <aside className={styles.column} aria-label="Beside the live view">
        <Timeline machineId={machine.id} />
        <p className={styles.watching} data-testid="watching">
          <Eye size={14} aria-hidden />
          {others === 0
            ? connected
              ? 'Only you are watching'
              : 'Nobody is watching'
            : `${others} other${others === 1 ? '' : 's'} watching`}
        </p>
      </aside>
    </div>
  )
}
