import type { Leg, Rollout } from '../../shared/domain/rollout.ts'
import { hasEnded, inBatches, isEnded, isUnderWay, type LegState } from '../../shared/domain/rollout-states.ts'

/**
 * A deploy over several machines as a pure state machine: what may be begun next, and what each piece of news
 * makes of it. It knows no clock, no store and no network; whoever runs it stores each state before acting on it.
 */

export type LegEnd = Exclude<LegState, 'waiting' | 'checking' | 'deploying' | 'proving'>

type LegFacts = Partial<
  Pick<Leg, 'agentDeployId' | 'digest' | 'previousTag' | 'previousDigest' | 'baseline' | 'historyId'>
>

export type RolloutEvent =
  | { type: 'begin'; machineId: string }
  /** Nothing stands in the way; from here on the agent is asked. */
  | { type: 'checked'; machineId: string; facts: LegFacts }
  /** The agent has done it; the machine still has to say that it is well. */
  | { type: 'deployed'; machineId: string; facts: LegFacts }
  /** The agent never got the call: nothing has happened there. */
  | { type: 'notBegun'; machineId: string }
  | { type: 'ended'; machineId: string; end: LegEnd; detail: string | null; facts?: LegFacts }
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'cancel' }
  | { type: 'retry'; machineIds: readonly string[]; force: boolean }
  /** The console ended, however, and is back. */
  | { type: 'restarted' }

/** A call that does not arrive this often is not sent again by itself. */
export const maxTries = 3

/** The rollout after a piece of news. News that does not fit changes nothing: it is late, or was told twice. */
export function apply(rollout: Rollout, event: RolloutEvent, at: string): Rollout {
  return settle(react(rollout, event, at), at)
}

function react(rollout: Rollout, event: RolloutEvent, at: string): Rollout {
  switch (event.type) {
    case 'begin':
      if (!nextLegs(rollout).some(({ machineId }) => machineId === event.machineId)) return rollout
      return withLeg(rollout, event.machineId, (leg) => ({
        ...leg,
        // One that may have been asked before is looked for first, and not asked again on a guess.
        state: leg.baseline === null ? 'checking' : 'deploying',
        startedAt: leg.startedAt ?? at,
        detail: null,
      }))
    case 'checked':
      return withLeg(rollout, event.machineId, (leg) => {
        if (leg.state !== 'checking') return leg
        if (rollout.status === 'running') return { ...leg, ...event.facts, state: 'deploying' }
        // It was paused or stopped meanwhile, and nothing has been done there yet.
        return { ...leg, state: 'waiting', startedAt: null }
      })
    case 'deployed':
      return withLeg(rollout, event.machineId, (leg) =>
        leg.state === 'deploying' ? { ...leg, ...event.facts, state: 'proving' } : leg,
      )
    case 'notBegun':
      return withLeg(rollout, event.machineId, (leg) => (leg.state === 'deploying' ? sendAgain(leg, at) : leg))
    case 'ended':
      return ended(rollout, event, at)
    case 'pause':
      return rollout.status === 'running' ? { ...rollout, status: 'paused' } : rollout
    case 'resume':
      return rollout.status === 'paused' || rollout.status === 'interrupted'
        ? { ...rollout, status: 'running' }
        : rollout
    case 'cancel':
      return hasEnded(rollout.status) ? rollout : { ...rollout, status: 'stopping', stoppedBy: 'person' }
    case 'retry':
      return retry(rollout, event)
    case 'restarted':
      return restarted(rollout)
  }
}

function sendAgain(leg: Leg, at: string): Leg {
  const tries = leg.tries + 1
  if (tries < maxTries) return { ...leg, state: 'waiting', tries, baseline: null }
  const detail = `The machine was asked ${maxTries} times and never got the call. Nothing was changed there.`
  return { ...leg, state: 'unreachable', tries, detail, endedAt: at }
}

function ended(rollout: Rollout, event: Extract<RolloutEvent, { type: 'ended' }>, at: string): Rollout {
  const leg = rollout.legs.find(({ machineId }) => machineId === event.machineId)
  if (leg === undefined || !isUnderWay(leg.state)) return rollout
  const next = withLeg(rollout, event.machineId, (known) => ({
    ...{ ...known, ...event.facts },
    state: event.end,
    detail: event.detail,
    endedAt: at,
  }))
  const stops = event.end !== 'completed' && rollout.onFailure === 'stop' && rollout.stoppedBy === null
  return stops ? { ...next, status: 'stopping', stoppedBy: 'failure' } : next
}

function retry(rollout: Rollout, { machineIds, force }: Extract<RolloutEvent, { type: 'retry' }>): Rollout {
  if (rollout.status === 'stopping') return rollout
  const again = rollout.legs.filter(
    ({ machineId, state }) => machineIds.includes(machineId) && isEnded(state) && state !== 'completed',
  )
  if (again.length === 0) return rollout
  const last = Math.max(...rollout.legs.map(({ batch }) => batch))
  const batches = inBatches(again, rollout.maxUnavailable)
  const batchOf = (leg: Leg) => last + 1 + batches.findIndex((batch) => batch.includes(leg))
  return {
    ...rollout,
    status: hasEnded(rollout.status) ? 'running' : rollout.status,
    stoppedBy: null,
    endedAt: null,
    legs: rollout.legs.map((leg) => {
      if (!again.includes(leg)) return leg
      const batch = batchOf(leg)
      const waiting = { ...leg, tries: 0, endedAt: null, detail: null, batch, state: 'waiting' as const }
      // What became of one that was lost has to be found out first: it is the same deploy still.
      if (leg.state === 'lost') return waiting
      const fresh = { baseline: null, agentDeployId: null, startedAt: null, historyId: null }
      return { ...waiting, ...fresh, attempt: leg.attempt + 1, force: leg.force || force }
    }),
  }
}

function restarted(rollout: Rollout): Rollout {
  if (hasEnded(rollout.status)) return rollout
  return {
    ...rollout,
    status: rollout.status === 'running' ? 'interrupted' : rollout.status,
    // Looking changes nothing, so it can simply be done again.
    legs: rollout.legs.map((leg) =>
      leg.state === 'checking' ? { ...leg, state: 'waiting' as const, startedAt: null } : leg,
    ),
  }
}

/** Ends the rollout when nothing of it is left to do. */
function settle(rollout: Rollout, at: string): Rollout {
  if (hasEnded(rollout.status)) return rollout
  const { stoppedBy } = rollout
  const stopping = rollout.status === 'stopping'
  const legs = stopping
    ? rollout.legs.map((leg) => (leg.state === 'waiting' ? { ...leg, ...notBegun(rollout), endedAt: at } : leg))
    : rollout.legs
  if (!legs.every(({ state }) => isEnded(state))) return stopping ? { ...rollout, legs } : rollout
  const well = legs.every(({ state }) => state === 'completed')
  const status = well ? 'completed' : stoppedBy === 'person' ? 'cancelled' : 'failed'
  return { ...rollout, legs, status, endedAt: at }
}

function notBegun({ stoppedBy }: Rollout): { state: 'skipped'; detail: string } {
  const why =
    stoppedBy === 'person' ? 'The deploy was cancelled before its turn.' : 'Another machine failed before its turn.'
  return { state: 'skipped', detail: `${why} Nothing was changed there.` }
}

/** The machines that may be begun now: the waiting ones of the first batch that is not through. */
export function nextLegs(rollout: Rollout): Leg[] {
  if (rollout.status !== 'running') return []
  const open = rollout.legs.filter(({ state }) => !isEnded(state))
  const batch = Math.min(...open.map((leg) => leg.batch))
  const free = rollout.maxUnavailable - rollout.legs.filter(({ state }) => isUnderWay(state)).length
  return open.filter((leg) => leg.batch === batch && leg.state === 'waiting').slice(0, Math.max(0, free))
}

function withLeg(rollout: Rollout, machineId: string, change: (leg: Leg) => Leg): Rollout {
  return { ...rollout, legs: rollout.legs.map((leg) => (leg.machineId === machineId ? change(leg) : leg)) }
}
