import { unreachable } from '../../shared/client/unreachable.ts'
import { environments } from '../../shared/domain/environments.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import { inBatches } from '../../shared/domain/rollout-states.ts'
import type { PlannedMachine } from '../../shared/ipc-deploys.ts'
import type { Machines } from './ask-machine.ts'

type Named = Pick<MachineView, 'id' | 'name' | 'environment'>

/** A machine that takes longer is shown as out of reach; a plan must not keep anyone waiting. */
const lookMs = 8000
const atOnce = 20

/** The order in which machines are taken: where least is at stake first, then by name. */
export function inOrder<Item extends Named>(machines: readonly Item[]): Item[] {
  const place = ({ environment }: Named) => environments.indexOf(environment)
  const byName = (a: Named, b: Named) => a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.id < b.id ? -1 : 1)
  return [...machines].sort((a, b) => place(a) - place(b) || byName(a, b))
}

/** What a deploy to these machines would meet if it began now. */
export async function planRollout(
  machines: Machines,
  chosen: readonly Named[],
  maxUnavailable: number,
): Promise<PlannedMachine[]> {
  const batches = inBatches(inOrder(chosen), maxUnavailable)
  const rows = batches.flatMap((batch, place) => batch.map((machine) => ({ machine, batch: place })))
  const planned: PlannedMachine[] = []
  for (const some of inBatches(rows, atOnce)) {
    planned.push(...(await Promise.all(some.map(({ machine, batch }) => lookAt(machines, machine, batch)))))
  }
  return planned
}

async function lookAt(machines: Machines, machine: Named, batch: number): Promise<PlannedMachine> {
  const { id, name, environment } = machine
  const plain = { machineId: id, name, environment, batch }
  const options = { timeoutMs: lookMs }
  try {
    const [health, takeover, workers, { deploys }] = await Promise.all([
      machines.call(id, 'machine.health', {}, options),
      machines.call(id, 'takeover.get', {}, options),
      machines.call(id, 'workers.list', {}, options),
      machines.call(id, 'deploys.list', { pageSize: 20 }, options),
    ])
    const { lease } = takeover
    const busyWith = health.currentDeploy?.imageTag
    const obstacle: PlannedMachine['obstacle'] =
      lease !== null
        ? { state: 'held', detail: `${lease.operator} has control of its browser.` }
        : busyWith === undefined
          ? null
          : { state: 'refused', detail: `${busyWith} is being deployed there already.` }
    return {
      ...plain,
      obstacle,
      tag: deploys.find(({ status }) => status === 'completed')?.imageTag ?? null,
      workers: workers
        .filter(({ status }) => status !== 'stopped')
        .map(({ workerId, status, activeJobs, currentJob }) => ({ workerId, status, activeJobs, currentJob })),
    }
  } catch (error) {
    const problem = unreachable(error)
    const state = problem.code === 'unreachable' || problem.code === 'timeout' ? 'unreachable' : 'refused'
    return { ...plain, tag: null, workers: null, obstacle: { state, detail: problem.message } }
  }
}
