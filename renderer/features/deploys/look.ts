import type { Leg, LegProgress, Rollout } from '../../../shared/domain/rollout.ts'
import { hasEnded, isUnderWay, type LegState, type RolloutStatus } from '../../../shared/domain/rollout-states.ts'
import type { StateLook } from '../machine/look.ts'

/** How a deploy and each of its machines look, are called, and what to do next. */

const rolloutLooks: Record<RolloutStatus, StateLook> = {
  running: { tone: 'engine', shape: 'round', word: 'Running', pulsing: true },
  paused: { tone: 'person', shape: 'diamond', word: 'Paused' },
  interrupted: { tone: 'person', shape: 'diamond', word: 'Interrupted' },
  stopping: { tone: 'unknown', shape: 'round', word: 'Stopping', pulsing: true },
  completed: { tone: 'up', shape: 'round', word: 'Completed' },
  failed: { tone: 'broken', shape: 'diamond', word: 'Failed' },
  cancelled: { tone: 'off', shape: 'square', word: 'Cancelled' },
}

const legLooks: Record<LegState, StateLook> = {
  waiting: { tone: 'off', shape: 'round', word: 'Waiting', hollow: true },
  checking: { tone: 'engine', shape: 'round', word: 'Checking', pulsing: true },
  deploying: { tone: 'engine', shape: 'round', word: 'Deploying', pulsing: true },
  proving: { tone: 'engine', shape: 'round', word: 'Proving', pulsing: true },
  completed: { tone: 'up', shape: 'round', word: 'Completed' },
  failed: { tone: 'broken', shape: 'diamond', word: 'Failed' },
  broken: { tone: 'broken', shape: 'square', word: 'Broken' },
  unhealthy: { tone: 'broken', shape: 'diamond', word: 'Unhealthy' },
  unreachable: { tone: 'unknown', shape: 'diamond', word: 'Unreachable' },
  held: { tone: 'person', shape: 'diamond', word: 'Held' },
  busy: { tone: 'unknown', shape: 'diamond', word: 'Busy' },
  refused: { tone: 'broken', shape: 'diamond', word: 'Refused' },
  changed: { tone: 'unknown', shape: 'diamond', word: 'Changed' },
  lost: { tone: 'unknown', shape: 'diamond', word: 'Lost' },
  cancelled: { tone: 'off', shape: 'square', word: 'Cancelled' },
  skipped: { tone: 'off', shape: 'square', word: 'Not begun' },
}

export const rolloutLook = (status: RolloutStatus) => rolloutLooks[status]
export const legLook = (state: LegState) => legLooks[state]

const steps: Record<string, string> = {
  check: 'Checking',
  pull: 'Pulling',
  drain: 'Draining',
  stop: 'Stopping',
  start: 'Starting',
  health: 'Health',
  cleanup: 'Cleaning up',
  restore: 'Putting back',
  prove: 'Proving',
  reconnect: 'Reconnecting',
}

/** The step a machine is at, in a word. */
export function stepWord(leg: Leg, progress: LegProgress | undefined): string {
  if (!isUnderWay(leg.state) || progress === undefined) return legLooks[leg.state].word
  return steps[progress.step] ?? legLooks[leg.state].word
}

/** What a person can do about a machine that did not succeed; undefined where there is nothing to do. */
export function nextStep(state: LegState): string | undefined {
  switch (state) {
    case 'failed':
      return 'Look at its logs, then try again or deploy another tag.'
    case 'broken':
      return 'Look at its containers, then deploy a tag that works.'
    case 'unhealthy':
      return 'Look at its Overview; roll it back if the new image is to blame.'
    case 'unreachable':
      return 'Make sure that it is on and reachable, then try again.'
    case 'held':
      return 'Wait until control is given back, then try again.'
    case 'busy':
      return 'Try again when the jobs are done, or force it and lose them.'
    case 'refused':
      return 'Do what it says, then try again.'
    case 'changed':
      return 'Roll that machine back from its own Deploys tab if you still want to.'
    case 'lost':
      return 'When it is back, look again: its own record says how it ended.'
    default:
      return undefined
  }
}

/** How far the whole is: machines that have ended, and the parts of those under way. */
export function overall({ legs }: Rollout, progressOf: (leg: Leg) => number | null): number {
  if (legs.length === 0) return 0
  const done = legs.reduce((sum, leg) => {
    if (leg.state === 'waiting') return sum
    return sum + (isUnderWay(leg.state) ? (progressOf(leg) ?? 0) : 1)
  }, 0)
  return done / legs.length
}

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/** `2 of 3 machines`, and in which environments. */
export function scopeText({ legs }: Pick<Rollout, 'legs'>): string {
  const where = [...new Set(legs.map(({ environment }) => environment))].join(', ')
  return `${plural(legs.length, 'machine')} in ${where}`
}

/** The end of a rollout in a sentence. */
export function endText(rollout: Rollout): string {
  const [first, ...more] = rollout.legs.filter(({ state }) => state !== 'completed' && state !== 'skipped')
  const done = rollout.legs.filter(({ state }) => state === 'completed').length
  const what = rollout.kind === 'rollback' ? 'The rollback' : `The deploy of ${rollout.tag}`
  if (rollout.status === 'completed') return `${what} is done on ${plural(done, 'machine')}.`
  if (first === undefined) return `${what} was cancelled after ${plural(done, 'machine')}.`
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return `${what}: ${first.name}${others} ${legLooks[first.state].word.toLowerCase()}, ${done} of ${rollout.legs.length} done.`
}

/** The machines that another try could help. */
export function retriable({ legs, status }: Rollout): Leg[] {
  if (!hasEnded(status)) return []
  return legs.filter(({ state }) => state !== 'completed' && state !== 'changed')
}

/** The machines whose deploy can be taken back. */
export function revertible({ legs }: Pick<Rollout, 'legs'>): Leg[] {
  return legs.filter(
    ({ state, agentDeployId }) => agentDeployId !== null && (state === 'completed' || state === 'unhealthy'),
  )
}

/** What happened, as it is shown: an agent's sentences follow a container's last lines after a space. */
export const plainDetail = (detail: string) => detail.replace(/\n +/g, '\n')

/** `sha256:1a2b3c4d5e6f`, as long as anyone compares by eye. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12)
}

/** A tag, or the short form of a digest that stands for one. */
export function tagText(tag: string): string {
  return tag.startsWith('sha256:') ? shortDigest(tag) : tag
}
