import { create } from 'zustand'
import { toast } from '../ui/Toast.tsx'
import { problemOf } from './bridge.ts'

interface WorkState {
  underWay: Readonly<Record<string, true>>
}

/** What this window has asked for and not yet heard back about; buttons turn by it. */
export const useWork = create<WorkState>(() => ({ underWay: {} }))

export function useBusy(key: string): boolean {
  return useWork((state) => state.underWay[key] === true)
}

/** Codes whose title is about no one thing: the detail says all that there is to say. */
const sayNothing = new Set<string>(['not-found', 'invalid-params'])

/** Does something once at a time; a failure is said where the person is looking now. */
export async function work(key: string, what: string, task: () => Promise<void>): Promise<boolean> {
  if (useWork.getState().underWay[key]) return false
  useWork.setState((state) => ({ underWay: { ...state.underWay, [key]: true } }))
  try {
    await task()
    return true
  } catch (error) {
    const problem = problemOf(error)
    const title = sayNothing.has(problem.code) ? `${what} failed` : `${what} failed: ${problem.title}`
    toast({ title, detail: problem.detail, kind: 'problem', id: key })
    return false
  } finally {
    useWork.setState(({ underWay: { [key]: _done, ...rest } }) => ({ underWay: rest }))
  }
}
