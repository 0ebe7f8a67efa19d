import { create } from 'zustand'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { MachineWorkers, SeenWorker } from '../../../shared/ipc-machine.ts'
import { call, onIpcEvent } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'

interface WorkersState {
  /** By machine, as main knows them: from the cache, then from events. */
  known: Readonly<Record<string, MachineWorkers>>
}

export const useWorkers = create<WorkersState>(() => ({ known: {} }))

/** Reads what main knows and follows it; returns the way to stop. */
export function startWorkers(): () => void {
  const stop = onIpcEvent('workers.changed', (changed) => {
    useWorkers.setState(({ known }) => ({ known: { ...known, [changed.machineId]: changed } }))
  })
  call('workers.all', {}).then(
    (all) =>
      useWorkers.setState(({ known }) => ({
        // What was told meanwhile is newer than the answer.
        known: { ...Object.fromEntries(all.map((one) => [one.machineId, one])), ...known },
      })),
    () => {},
  )
  return stop
}

export interface WorkerRow {
  id: string
  machine: MachineView
  worker: SeenWorker
  /** Whether the machine can be asked now, or this is what was last known. */
  live: boolean
}

/** The workers of these machines as rows, in the order of the machines. */
export function rowsOf(machines: readonly MachineView[], known: WorkersState['known']): WorkerRow[] {
  return machines.flatMap((machine) =>
    (known[machine.id]?.workers ?? []).map((worker) => ({
      id: `${machine.id} ${worker.containerName}`,
      machine,
      worker,
      live: isReachable(machine),
    })),
  )
}

/** How many containers run, over all machines, for the sidebar. */
export function countRunning(known: WorkersState['known']): number {
  return Object.values(known).reduce(
    (sum, { workers }) => sum + workers.filter(({ status }) => status !== 'stopped').length,
    0,
  )
}
