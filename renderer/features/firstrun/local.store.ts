import { create } from 'zustand'
import type { WireProblem } from '../../../shared/errors.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { go, useRoute } from '../../app/route.ts'
import { toast } from '../../ui/Toast.tsx'

export type LocalStart =
  | { phase: 'idle' }
  | { phase: 'starting'; since: number; watched: boolean }
  | { phase: 'failed'; problem: WireProblem }

/** The start of this computer's own agent, wherever it was asked for. */
export const useLocalStart = create<{ start: LocalStart }>(() => ({ start: { phase: 'idle' } }))

/** Starts the agent of this computer and opens its live view, unless the person has gone elsewhere meanwhile. */
export async function tryLocal(): Promise<void> {
  if (useLocalStart.getState().start.phase === 'starting') return
  useLocalStart.setState({ start: { phase: 'starting', since: Date.now(), watched: true } })
  try {
    const { machineId } = await call('fleet.tryLocal', {})
    const { start } = useLocalStart.getState()
    useLocalStart.setState({ start: { phase: 'idle' } })
    if (start.phase === 'starting' && start.watched) go({ screen: 'machine', machineId, tab: 'live' })
    else toast({ title: 'This computer is ready', detail: 'Open it from the fleet.' })
  } catch (error) {
    const problem = problemOf(error)
    useLocalStart.setState({ start: { phase: 'failed', problem } })
    // The fleet's screen shows it in full.
    if (useRoute.getState().route.screen !== 'fleet')
      toast({ title: problem.title, detail: problem.detail, kind: 'problem', id: 'try-local' })
  }
}

/** Lets it go on out of sight. */
export function leaveLocalStart(): void {
  const { start } = useLocalStart.getState()
  if (start.phase === 'starting') useLocalStart.setState({ start: { ...start, watched: false } })
}
