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

/** The fleet after some changes from main, in their order. */
export function applyChanges(
  machines: FleetState['machines'],
  changes: readonly IpcEventData<'fleet.changed'>[],
): FleetState['machines'] {
  const next = { ...machines }
  for (const { changed, removed } of changes) {
    for (const machine of changed) next[machine.id] = machine
    for (const id of removed) delete next[id]
  }
  return next
}

/** Changes that came and are not shown yet. */
let waiting: IpcEventData<'fleet.changed'>[] = []

async function load(): Promise<void> {
  useFleet.setState({ status: { phase: 'loading' } })
  try {
    const list = await call('fleet.list', {})
    // It is newer than all that came before it.
    waiting = []
    useFleet.setState({
      status: { phase: 'ready' },
      machines: Object.fromEntries(list.map((machine) => [machine.id, machine])),
    })
  } catch (error) {
    useFleet.setState({ status: { phase: 'failed', problem: problemOf(error) } })
  }
}

/** A thousand machines have news all the time: every screen would be drawn anew for each. A few are shown at once. */
const gatherMsPerMachine = 0.5

/** Reads the fleet and follows it; returns the way to stop. */
export function startFleet(): () => void {
  let appliedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const apply = () => {
    timer = undefined
    appliedAt = performance.now()
    const changes = waiting
    waiting = []
    if (changes.length > 0) useFleet.setState((state) => ({ machines: applyChanges(state.machines, changes) }))
  }
  const stop = onIpcEvent('fleet.changed', (change) => {
    waiting.push(change)
    const gatherMs = Object.keys(useFleet.getState().machines).length * gatherMsPerMachine
    const wait = appliedAt + gatherMs - performance.now()
    if (timer === undefined && wait <= 0) apply()
    else timer ??= setTimeout(apply, wait)
  })
  void load()
  return () => {
    clearTimeout(timer)
    stop()
  }
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
