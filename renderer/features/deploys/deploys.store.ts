import { create } from 'zustand'
import type { LegProgress, Rollout } from '../../../shared/domain/rollout.ts'
import { hasEnded } from '../../../shared/domain/rollout-states.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import type { FeedView } from '../../../shared/ipc-deploys.ts'
import { call, onIpcEvent, problemOf } from '../../app/bridge.ts'
import { toast } from '../../ui/Toast.tsx'
import { endText } from './look.ts'

interface DeploysState {
  /** Those that run, and those that ended while this window was open until they are put away. */
  rollouts: Readonly<Record<number, Rollout>>
  progress: Readonly<Record<string, LegProgress>>
  feeds: readonly FeedView[] | null
  feedProblem: WireProblem | null
  /** Counts ends, so that the history knows when to be read again. */
  ended: number
}

/** Deploys over several machines as main knows them. */
export const useDeploys = create<DeploysState>(() => ({
  ...{ rollouts: {}, progress: {}, feeds: null, feedProblem: null, ended: 0 },
}))

export const progressKey = (rolloutId: number, machineId: string) => `${rolloutId}:${machineId}`

/** Newest first. */
export function listed(rollouts: DeploysState['rollouts']): Rollout[] {
  return Object.values(rollouts).sort((a, b) => b.id - a.id)
}

export const running = (rollouts: DeploysState['rollouts']) =>
  listed(rollouts).filter(({ status }) => !hasEnded(status))

export function putAway(rolloutId: number): void {
  useDeploys.setState(({ rollouts: { [rolloutId]: _gone, ...rest } }) => ({ rollouts: rest }))
}

function changed(rollout: Rollout): void {
  const before = useDeploys.getState().rollouts[rollout.id]
  // A new one takes the place of those that have ended: they stand in the history.
  if (before === undefined) {
    useDeploys.setState((state) => ({
      rollouts: Object.fromEntries(running(state.rollouts).map((known) => [known.id, known])),
    }))
  }
  const ends = hasEnded(rollout.status) && before !== undefined && !hasEnded(before.status)
  useDeploys.setState((state) => ({
    rollouts: { ...state.rollouts, [rollout.id]: rollout },
    ended: state.ended + (ends ? 1 : 0),
  }))
  if (!ends) return
  const problem = rollout.status === 'failed'
  toast({
    title: problem ? 'A deploy failed' : rollout.status === 'completed' ? 'Deployed' : 'A deploy was cancelled',
    detail: endText(rollout),
    kind: problem ? 'problem' : 'plain',
    id: `rollout:${rollout.id}`,
  })
}

export async function readFeeds(): Promise<void> {
  try {
    useDeploys.setState({ feeds: await call('registry.list', {}), feedProblem: null })
  } catch (error) {
    useDeploys.setState({ feedProblem: problemOf(error) })
  }
}

/** Follows main's deploys; returns the way to stop. */
export function startDeploys(): () => void {
  const stops = [
    onIpcEvent('deploys.changed', ({ rollouts, progress }) => {
      for (const rollout of rollouts) changed(rollout)
      if (progress.length === 0) return
      const told = Object.fromEntries(progress.map((one) => [progressKey(one.rolloutId, one.machineId), one]))
      useDeploys.setState((state) => ({ progress: { ...state.progress, ...told } }))
    }),
    onIpcEvent('registry.changed', (feed) =>
      useDeploys.setState(({ feeds }) => ({
        feeds: feeds?.map((known) => (known.environment === feed.environment ? feed : known)) ?? null,
      })),
    ),
  ]
  void call('deploys.active', {}).then(
    ({ rollouts, progress }) =>
      useDeploys.setState((state) => ({
        // What an event said meanwhile is newer.
        rollouts: { ...Object.fromEntries(rollouts.map((rollout) => [rollout.id, rollout])), ...state.rollouts },
        progress: {
          ...Object.fromEntries(progress.map((one) => [progressKey(one.rolloutId, one.machineId), one])),
          ...state.progress,
        },
      })),
    (error) => {
      const problem = problemOf(error)
      toast({ title: 'The deploys could not be read', detail: problem.detail, kind: 'problem', id: 'deploys' })
    },
  )
  return () => {
    for (const stop of stops) stop()
  }
}
