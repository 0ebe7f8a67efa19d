import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useTarget } from '../../app/target.ts'
import { choose, sinceFor } from './choices.store.ts'
import { LogsPanel } from './LogsPanel.tsx'

/** The logs of one machine; at a certain time when they were asked for from elsewhere. */
export function LogsTab({ machine }: { machine: MachineView }) {
  const view = `machine ${machine.id}`
  const time = useTarget('logs', machine.id)?.time
  // Before its session is made, which reads from there on.
  useState(() => time !== undefined && choose(view, { since: sinceFor(time, Date.now()) }))
  return <LogsPanel key={machine.id} view={view} machines={[machine]} aimed={time} />
}
