import { create } from 'zustand'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { problemOf } from '../../app/bridge.ts'
import { toast } from '../../ui/Toast.tsx'

/** Something done to several machines, a few at a time, with each one's own end. */
export interface BatchJob {
  title: string
  /** What will happen, and what is lost. */
  text: string
  action: string
  danger: boolean
  machines: readonly MachineView[]
  /** Machines that were selected and that this does not concern, with the reason. */
  leftOut: readonly { machine: MachineView; reason: string }[]
  /** Resolves with what to say of it. */
  run: (machine: MachineView) => Promise<string>
}

export type BatchItem =
  | { state: 'waiting' | 'running' | 'left' }
  | { state: 'done'; text: string }
  | { state: 'failed'; problem: WireProblem }

interface BatchState {
  job: BatchJob | null
  phase: 'asking' | 'running' | 'over'
  items: Readonly<Record<string, BatchItem>>
}

/** More at once would make a thousand machines answer in the same moment. */
const atOnce = 6

export const useBatch = create<BatchState>(() => ({ job: null, phase: 'asking', items: {} }))
/** Of these nothing more begins. */
const cancelled = new WeakSet<BatchJob>()

export function askBatch(job: BatchJob): void {
  useBatch.setState({ job, phase: 'asking', items: {} })
}

export function closeBatch(): void {
  const { job, phase, items } = useBatch.getState()
  cancelBatch()
  useBatch.setState({ job: null })
  const left = Object.values(items).filter(({ state }) => state === 'waiting').length
  if (job === null || phase !== 'running' || left === 0) return
  toast({
    title: `${job.action}: ${left === 1 ? 'one machine was' : `${left} machines were`} not begun`,
    detail: 'What had begun goes on to its end.',
  })
}

/** What has begun ends by itself; nothing more begins. */
export function cancelBatch(): void {
  const { job } = useBatch.getState()
  if (job !== null) cancelled.add(job)
}

export async function runBatch(): Promise<void> {
  const { job, phase } = useBatch.getState()
  if (job === null || phase !== 'asking') return
  const waiting = job.machines.map(({ id }) => [id, { state: 'waiting' } as BatchItem] as const)
  useBatch.setState({ phase: 'running', items: Object.fromEntries(waiting) })
  await inTurns(job.machines, atOnce, async (machine) => {
    if (cancelled.has(job)) return note(job, machine.id, { state: 'left' })
    note(job, machine.id, { state: 'running' })
    try {
      note(job, machine.id, { state: 'done', text: await job.run(machine) })
    } catch (error) {
      note(job, machine.id, { state: 'failed', problem: problemOf(error) })
    }
  })
  if (useBatch.getState().job === job) useBatch.setState({ phase: 'over' })
}

/** Another job may be on the screen by now. */
function note(job: BatchJob, id: string, item: BatchItem): void {
  useBatch.setState((state) => (state.job === job ? { items: { ...state.items, [id]: item } } : state))
}

/** Works through a list, so many at a time. */
export async function inTurns<Item>(
  items: readonly Item[],
  width: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await task(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}
