import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { takeTarget } from '../../app/target.ts'
import { choose, sinceFor } from './choices.store.ts'
import { LogsPanel } from './LogsPanel.tsx'

/** The logs of one machine; at a certain time when they were asked for from elsewhere. */
export function LogsTab({ machine }: { machine: MachineView }) {
  const view = `machine ${machine.id}`
  const [aimed] = useState(() => {
    const time = takeTarget('logs', machine.id)?.time
    if (time !== undefined) choose(view, { since: sinceFor(time, Date.now()) })
    return time
  })
  return <LogsPanel key={machine.id} view={view} machines={[machine]} aimed={aimed} />
}
