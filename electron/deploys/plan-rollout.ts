import { unreachable } from '../../shared/client/unreachable.ts'
import { environments } from '../../shared/domain/environments.ts'
import type { MachineView } from '../../shared/domain/machine.ts'
import { inBatches } from '../../shared/domain/rollout-states.ts'
import type { PlannedMachine } from '../../shared/ipc-deploys.ts'
import type { Clock } from '../clock.ts'
import type { Machines } from './ask-machine.ts'

type Named = Pick<MachineView, 'id' | 'name' | 'environment'>
type Known = Named & Pick<MachineView, 'state' | 'problem'>

export interface PlanOptions {
  maxUnavailable: number
  clock: Clock
  /** Nobody waits for the rest any more. */
  signal: AbortSignal
  /** How many machines it knows of by now, a few times a second. */
  onLooked: (looked: number) => void
}

/** A machine that takes longer is shown as out of reach; a plan must not keep anyone waiting. */
const lookMs = 8000
const atOnce = 20
const tellMs = 100

/** The order in which machines are taken: where least is at stake first, then by name. */
export function inOrder<Item extends Named>(machines: readonly Item[]): Item[] {
  const place = ({ environment }: Named) => environments.indexOf(environment)
  const byName = (a: Named, b: Named) => a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.id < b.id ? -1 : 1)
  return [...machines].sort((a, b) => place(a) - place(b) || byName(a, b))
}

/** What a deploy to these machines would meet if it began now, as far as it was looked at before it was stopped. */
export async function planRollout(
  machines: Machines,
  chosen: readonly Known[],
  { maxUnavailable, clock, signal, onLooked }: PlanOptions,
): Promise<{ machines: PlannedMachine[]; looked: number }> {
  const batches = inBatches(inOrder(chosen), maxUnavailable)
  const rows = batches.flatMap((batch, place) => batch.map((machine) => ({ machine, plain: plainRow(machine, place) })))
  const planned = rows.map(({ plain }) => plain)
  let looked = 0
  let stopTelling: (() => void) | undefined
  const found = (place: number, row: PlannedMachine) => {
    planned[place] = row
    looked++
    stopTelling ??= clock.after(tellMs, () => {
      stopTelling = undefined
      onLooked(looked)
    })
  }
  const rest = rows.entries()
  const worker = async () => {
    for (const [place, { machine, plain }] of rest) {
      const row = signal.aborted ? undefined : (knownSilent(machine, plain) ?? (await lookAt(machines, plain, signal)))
      if (row === undefined) return
      found(place, row)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, rows.length) }, worker))
  stopTelling?.()
  return { machines: planned, looked }
}

const plainRow = ({ id, name, environment }: Named, batch: number): PlannedMachine => ({
  ...{ machineId: id, name, environment, batch },
  ...{ tag: null, workers: null, obstacle: null },
})

const isSilence = (code: string) => code === 'unreachable' || code === 'timeout'

/** One that was found silent is looked for by the fleet already: a thousand of them must not be waited for here again. */
function knownSilent({ state, problem }: Known, plain: PlannedMachine): PlannedMachine | undefined {
  if (state !== 'unknown' || problem === null || !isSilence(problem.code)) return undefined
  return { ...plain, obstacle: { state: 'unreachable', detail: problem.detail } }
}

/** Undefined when it was stopped in the middle of it. */
async function lookAt(
  machines: Machines,
  plain: PlannedMachine,
  signal: AbortSignal,
): Promise<PlannedMachine | undefined> {
  const { machineId: id } = plain
  const options = { timeoutMs: lookMs, signal }
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
    if (signal.aborted) return undefined
    const problem = unreachable(error)
    const state = isSilence(problem.code) ? 'unreachable' : 'refused'
    return { ...plain, obstacle: { state, detail: problem.message } }
  }
}
