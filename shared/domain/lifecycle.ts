/** What state a sandbox can be in, and the only ways from one to another. */
export const lifecycleStates = ['starting', 'running', 'paused', 'killed', 'expired', 'terminated', 'unknown'] as const
export type LifecycleState = (typeof lifecycleStates)[number]

/** How a change came about: what a check found, or a person who pressed Wake. */
export type TransitionCause = 'observed' | 'wake'

const observed: Record<LifecycleState, readonly LifecycleState[]> = {
  starting: ['running', 'killed'],
  running: ['paused', 'killed', 'expired', 'terminated', 'unknown'],
  paused: ['running', 'killed', 'expired', 'unknown'],
  killed: [],
  expired: [],
  terminated: [],
  unknown: ['running', 'paused', 'killed'],
}

const wakeable: readonly LifecycleState[] = ['killed', 'expired', 'terminated', 'unknown']

/** Whether the table has this transition. What it does not have is refused and logged by the caller. */
export function canBecome(from: LifecycleState, to: LifecycleState, cause: TransitionCause): boolean {
  if (cause === 'wake') return to === 'starting' && wakeable.includes(from)
  return observed[from].includes(to)
}

/** Why a sandbox is gone, as it is written down. */
export const killedReasons = ['manual', 'expired', 'terminated', 'not_found'] as const
export type KilledReason = (typeof killedReasons)[number]

export interface Gone {
  state: LifecycleState
  killedReason: KilledReason | null
}

/**
 * Whether the agent of a sandbox that is gone still answers: only its browser went. Its logs, terminals and workers
 * are there as before, so it is followed on; only a wake brings its browser back.
 */
export function answersStill({ state, killedReason }: Gone): boolean {
  return state === 'killed' && killedReason === 'terminated'
}

/** Whether the agent is there to be asked, as far as is known: the sandbox runs, or only its browser is gone. */
export function isUp(sandbox: Gone): boolean {
  return sandbox.state === 'running' || answersStill(sandbox)
}
