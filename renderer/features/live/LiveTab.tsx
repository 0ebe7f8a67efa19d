import { useMemo, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useApp } from '../../app/app.store.ts'
import { EngineCard } from '../engine/EngineCard.tsx'
import { BrowserViewer } from './BrowserViewer.tsx'
import { ipcLiveClient } from './client.ts'
import styles from './live.module.css'
import { Timeline } from './Timeline.tsx'
import { Watching } from './Watching.tsx'

/** The live view with what stands beside it. */
export function LiveTab({ machine }: { machine: MachineView }) {
  const [connected, setConnected] = useState(false)
  const client = useMemo(() => ipcLiveClient(machine.id), [machine.id])
  const operator = useApp((state) => state.info?.settings.operator ?? '')
  return (
    <div className={styles.tab}>
      <BrowserViewer client={client} onConnect={() => setConnected(true)} onDisconnect={() => setConnected(false)} />
      <aside className={styles.column} aria-label="Beside the live view">
        <EngineCard machine={machine} />
        <Timeline machine={machine} />
        <Watching machineId={machine.id} viewers={machine.viewers} connected={connected} operator={operator} />
      </aside>
    </div>
  )
}
