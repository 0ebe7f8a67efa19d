import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { confirm } from '../../app/ui.store.ts'
import { work } from '../../app/work.ts'
import { toast } from '../../ui/Toast.tsx'
import { runBulk, type Task } from './bulk.store.ts'
import type { WorkerRow } from './workers.store.ts'

/** What can be done to workers. Main hears of each change and tells every window. */

export const workerKey = ({ machine, worker }: WorkerRow) => `worker:${machine.id}:${worker.workerId}`

/** Asks the machine for its workers; main passes the answer on to whoever shows them. */
export async function refreshWorkers(machineId: string): Promise<void> {
  await callAgent(machineId, 'workers.list', {})
}

async function drainOne({ machine, worker }: WorkerRow): Promise<void> {
  await callAgent(machine.id, 'workers.drain', { id: worker.workerId })
  await refreshWorkers(machine.id)
}

async function stopOne({ machine, worker }: WorkerRow, graceful: boolean): Promise<void> {
  await callAgent(machine.id, 'workers.stop', { id: worker.workerId, graceful })
  await refreshWorkers(machine.id)
}

const jobOf = ({ worker }: WorkerRow) =>
  worker.activeJobs === 0
    ? 'It has no job.'
    : `It has ${worker.activeJobs === 1 ? 'a job' : `${worker.activeJobs} jobs`}${worker.currentJob === null ? '' : ` (${worker.currentJob})`}.`

export function drainWorker(row: WorkerRow): void {
  const { machine, worker } = row
  confirm({
    title: `Drain ${worker.workerId} on ${machine.name}?`,
    text: `It takes no new jobs from now on. ${jobOf(row)} What it has, it finishes; a restart makes it take jobs again.`,
    action: 'Drain worker',
    run: () => work(workerKey(row), `Draining ${worker.workerId}`, () => drainOne(row)),
  })
}

export function stopWorker(row: WorkerRow): void {
  const { machine, worker } = row
  confirm({
    title: `Stop ${worker.workerId} on ${machine.name}?`,
    text: `${jobOf(row)} It drains first, and is stopped when it has no job left; one that keeps its job goes on.`,
    action: 'Stop worker',
    run: () => work(workerKey(row), `Stopping ${worker.workerId}`, () => stopOne(row, true)),
  })
}

export function stopWorkerNow(row: WorkerRow): void {
  const { machine, worker } = row
  confirm({
    title: `Stop ${worker.workerId} on ${machine.name} at once?`,
    text: `${jobOf(row)} What it is doing is lost.`,
    action: 'Stop it now',
    ...(worker.activeJobs > 0 ? { typed: worker.workerId } : {}),
    run: () => work(workerKey(row), `Stopping ${worker.workerId}`, () => stopOne(row, false)),
  })
}

export function startWorker(
  machine: MachineView,
  wish: { workerId?: string; maxConcurrentJobs: number },
): Promise<boolean> {
  return work(`worker-start:${machine.id}`, 'Starting a worker', async () => {
    const { message } = await callAgent(machine.id, 'workers.start', wish)
    toast({ title: `A worker started on ${machine.name}`, detail: message, id: `worker-start:${machine.id}` })
    await refreshWorkers(machine.id)
  })
}

/** So many names fit into a sentence. */
const named = 12
const names = (rows: readonly WorkerRow[]) => {
  const list = rows.slice(0, named).map(({ machine, worker }) => `${worker.workerId} on ${machine.name}`)
  return rows.length > named ? `${list.join(', ')} and ${rows.length - named} more` : list.join(', ')
}
const tasks = (rows: readonly WorkerRow[], run: (row: WorkerRow) => Promise<void>): Task[] =>
  rows.map((row) => ({ name: `${row.worker.workerId} on ${row.machine.name}`, run: () => run(row) }))

/** Those of the rows that can be drained now. */
export const drainable = (rows: readonly WorkerRow[]) =>
  rows.filter(({ live, worker }) => live && worker.status !== 'stopped' && worker.status !== 'draining')

export const idle = (rows: readonly WorkerRow[]) => rows.filter(({ live, worker }) => live && worker.status === 'idle')

export function drainAll(rows: readonly WorkerRow[]): void {
  const chosen = drainable(rows)
  confirm({
    title: `Drain ${chosen.length === 1 ? '1 worker' : `${chosen.length} workers`}?`,
    text: `They take no new jobs and finish what they have: ${names(chosen)}.`,
    action: 'Drain all',
    run: async () => {
      void runBulk('Draining workers', tasks(chosen, drainOne))
      return true
    },
  })
}

export function stopAllIdle(rows: readonly WorkerRow[]): void {
  const chosen = idle(rows)
  confirm({
    title: `Stop ${chosen.length === 1 ? '1 idle worker' : `${chosen.length} idle workers`}?`,
    text: `None of them has a job; one that gets one meanwhile finishes it first: ${names(chosen)}.`,
    action: 'Stop all idle',
    run: async () => {
      void runBulk(
        'Stopping idle workers',
        tasks(chosen, (row) => stopOne(row, true)),
      )
      return true
    },
  })
}
