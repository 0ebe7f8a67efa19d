import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { useUi } from '../../app/ui.store.ts'
import { compareEnv } from '../env/operations.ts'
import { askBatch, type BatchJob } from './batch.store.ts'
import { useFleet } from './fleet.store.ts'
import { useFleetView } from './view.store.ts'

/** What can be done to several machines at once. Each asks first, and says who is left out and why. */

/** The machines that are selected, in the order of their names. */
export function selectedMachines(): MachineView[] {
  const { machines } = useFleet.getState()
  return [...useFleetView.getState().selected]
    .flatMap((id) => machines[id] ?? [])
    .sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}

const count = (machines: readonly unknown[]) => (machines.length === 1 ? '1 machine' : `${machines.length} machines`)

/** Those it concerns, and the others with the reason. */
export function sortOut(
  machines: readonly MachineView[],
  reasonAgainst: (machine: MachineView) => string | null,
): Pick<BatchJob, 'machines' | 'leftOut'> {
  const leftOut = machines.flatMap((machine) => {
    const reason = reasonAgainst(machine)
    return reason === null ? [] : [{ machine, reason }]
  })
  const out = new Set(leftOut.map(({ machine }) => machine.id))
  return { machines: machines.filter(({ id }) => !out.has(id)), leftOut }
}

export const againstStart = ({ state }: MachineView) =>
  state === 'running' ? 'it runs already' : state === 'starting' ? 'it is starting' : null
export const againstStop = (machine: MachineView) =>
  !isUp(machine) ? 'it does not run' : machine.power.actions.includes('stop') ? null : 'it cannot be stopped from here'
export const againstRunning = (machine: MachineView) => (isUp(machine) ? null : 'it does not run')

/** Their variables side by side; no value leaves its machine. */
export const compareSelected = () => compareEnv(selectedMachines().map(({ id }) => id))

export function startSelected(machines = selectedMachines()): void {
  const sorted = sortOut(machines, againstStart)
  askBatch({
    ...sorted,
    title: `Start ${count(sorted.machines)}?`,
    text: 'Each is switched on and verified, and its browser brought back as far as it can be. What EC2 runs costs money.',
    action: 'Start',
    danger: false,
    run: async ({ id }) => {
      const woken = await call('power.start', { machineId: id })
      return `${woken.state}${woken.recreated === null ? '' : ', recreated'}`
    },
  })
}

export function stopSelected(machines = selectedMachines()): void {
  const sorted = sortOut(machines, againstStop)
  askBatch({
    ...sorted,
    title: `Stop ${count(sorted.machines)}?`,
    text: 'The whole machines are switched off: their browsers, their workers and every terminal on them end.',
    action: 'Stop',
    danger: true,
    run: async ({ id }) => (await call('power.stop', { machineId: id })).state,
  })
}

export function drainSelected(machines = selectedMachines()): void {
  const sorted = sortOut(machines, againstRunning)
  askBatch({
    ...sorted,
    title: `Drain ${count(sorted.machines)}?`,
    text: 'Their workers finish the job they have and take no new one, until they are started again.',
    action: 'Drain',
    danger: false,
    run: async ({ id }) => {
      const { drainedWorkers } = await callAgent(id, 'deploys.drain', {})
      return drainedWorkers === 1 ? '1 worker drains' : `${drainedWorkers} workers drain`
    },
  })
}

export function openRunCommand(): void {
  useUi.setState({ open: 'run-command' })
}
