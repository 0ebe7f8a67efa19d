import { create } from 'zustand'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import type { IpcEventData } from '../../../shared/ipc.ts'
import { call, onIpcEvent, problemOf } from '../../app/bridge.ts'

export type FleetPhase = { phase: 'loading' } | { phase: 'ready' } | { phase: 'failed'; problem: WireProblem }

interface FleetState {
  status: FleetPhase
  machines: Readonly<Record<string, MachineView>>
}

/** Every machine as main knows it. Nothing here is decided by this window. */
export const useFleet = create<FleetState>(() => ({ status: { phase: 'loading' }, machines: {} }))

/** The fleet after one change from main. */
export function applyChange(
  machines: FleetState['machines'],
  change: IpcEventData<'fleet.changed'>,
): FleetState['machines'] {
  const next = { ...machines }
  for (const machine of change.changed) next[machine.id] = machine
  for (const id of change.removed) delete next[id]
  return next
}

async function load(): Promise<void> {
  useFleet.setState({ status: { phase: 'loading' } })
  try {
    const list = await call('fleet.list', {})
    useFleet.setState({
      status: { phase: 'ready' },
      machines: Object.fromEntries(list.map((machine) => [machine.id, machine])),
    })
  } catch (error) {
    useFleet.setState({ status: { phase: 'failed', problem: problemOf(error) } })
  }
}

/** Reads the fleet and follows it; returns the way to stop. */
export function startFleet(): () => void {
  const stop = onIpcEvent('fleet.changed', (change) => {
    useFleet.setState((state) => ({ machines: applyChange(state.machines, change) }))
  })
  void load()
  return stop
}

export { load as reloadFleet }

/** Settled when the fleet has been read for the first time, or could not be. */
export function fleetRead(): Promise<void> {
  return new Promise((resolve) => {
    const look = ({ status }: FleetState) => {
      if (status.phase === 'loading') return
      stop()
      resolve()
    }
    const stop = useFleet.subscribe(look)
    look(useFleet.getState())
  })
}

export function useMachine(machineId: string | null): MachineView | undefined {
  return useFleet((state) => (machineId === null ? undefined : state.machines[machineId]))
}

/** The machine that this console starts by itself, once it exists. */
export function localMachine(machines: FleetState['machines']): MachineView | undefined {
  return Object.values(machines).find((machine) => machine.tunnel.kind === 'local')
}
