import { create } from 'zustand'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { problemOf } from '../../app/bridge.ts'

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
let cancelled = false

export function askBatch(job: BatchJob): void {
  useBatch.setState({ job, phase: 'asking', items: {} })
}

export function closeBatch(): void {
  cancelBatch()
  useBatch.setState({ job: null })
}

/** What has begun ends by itself; nothing more begins. */
export function cancelBatch(): void {
  cancelled = true
}

export async function runBatch(): Promise<void> {
  const { job, phase } = useBatch.getState()
  if (job === null || phase !== 'asking') return
  cancelled = false
  const waiting = job.machines.map(({ id }) => [id, { state: 'waiting' } as BatchItem] as const)
  useBatch.setState({ phase: 'running', items: Object.fromEntries(waiting) })
  await inTurns(job.machines, atOnce, async (machine) => {
    if (cancelled) return note(machine.id, { state: 'left' })
    note(machine.id, { state: 'running' })
    try {
      note(machine.id, { state: 'done', text: await job.run(machine) })
    } catch (error) {
      note(machine.id, { state: 'failed', problem: problemOf(error) })
    }
  })
  if (useBatch.getState().job === job) useBatch.setState({ phase: 'over' })
}

function note(id: string, item: BatchItem): void {
  useBatch.setState(({ items }) => ({ items: { ...items, [id]: item } }))
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
