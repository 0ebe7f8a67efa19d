import { create } from 'zustand'
import { problemOf } from '../../app/bridge.ts'
import { toast } from '../../ui/Toast.tsx'

export interface Task {
  /** Named when it fails. */
  name: string
  run: () => Promise<void>
}

interface Bulk {
  title: string
  since: number
  done: number
  total: number
}

/** Something that is done to many at once; one such thing at a time. */
export const useBulk = create<{ bulk: Bulk | null }>(() => ({ bulk: null }))

/** So many machines are asked at once. */
const atOnce = 4
let cancelled = false

/** What was begun is finished; the rest is left as it is. */
export const cancelBulk = () => {
  cancelled = true
}

/** Does all of it, a few at a time, and says in the end what worked and what did not. */
export async function runBulk(title: string, tasks: readonly Task[]): Promise<boolean> {
  if (useBulk.getState().bulk !== null) return false
  cancelled = false
  useBulk.setState({ bulk: { title, since: Date.now(), done: 0, total: tasks.length } })
  const failed: string[] = []
  const waiting = [...tasks]
  let begun = 0
  const worker = async () => {
    for (let task = waiting.shift(); task !== undefined && !cancelled; task = waiting.shift()) {
      begun++
      try {
        await task.run()
      } catch (error) {
        failed.push(`${task.name}: ${problemOf(error).detail}`)
      }
      useBulk.setState(({ bulk }) => ({ bulk: bulk === null ? null : { ...bulk, done: bulk.done + 1 } }))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  useBulk.setState({ bulk: null })
  const well = begun - failed.length
  const left = tasks.length - begun
  toast({
    title: `${title}: ${well} of ${tasks.length} done${left > 0 ? `, ${left} left as they were` : ''}`,
    detail: failed.slice(0, 3).join(' '),
    kind: failed.length > 0 ? 'problem' : 'plain',
    id: 'bulk',
  })
  return true
}
