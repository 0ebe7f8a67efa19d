import type { Rollout } from '../../shared/domain/rollout.ts'

/** What closing the console would break off; null when nothing runs. One that waits for a decision can wait on. */
export function brokenOff(rollouts: readonly Rollout[]): { message: string; detail: string } | null {
  const running = rollouts.filter(({ status }) => status === 'running')
  const [first] = running
  if (first === undefined) return null
  const done = first.legs.filter(({ state }) => state === 'completed').length
  const message =
    running.length === 1
      ? `The deploy of ${first.tag} is at ${done} of ${first.legs.length} machines.`
      : `${running.length} deploys are running.`
  return {
    message,
    detail:
      'Whatever machine is at it ends its own part; no further one begins. The next start shows where it was, and asks whether to go on.',
  }
}
