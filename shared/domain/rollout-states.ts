/** The words of a deploy over several machines. Free of zod: windows use them as well. */

/** `interrupted`: the console ended in the middle, and nobody has said yet whether it goes on. */
export const rolloutStatuses = [
  'running',
  'paused',
  'interrupted',
  'stopping',
  'completed',
  'failed',
  'cancelled',
] as const
export type RolloutStatus = (typeof rolloutStatuses)[number]

/** Where one machine of it stands. Up to `proving` it is under way or still to come; the rest are ends. */
export const legStates = [
  'waiting',
  'checking',
  'deploying',
  'proving',
  /** The new image serves. */
  'completed',
  /** It did not become healthy, or was nowhere to be had: what ran before runs. */
  'failed',
  /** Neither the new one nor all of the old one serves. */
  'broken',
  /** Deployed, and the machine says afterwards that something is wrong. */
  'unhealthy',
  'unreachable',
  /** A person has control of its browser. */
  'held',
  /** Its workers had jobs and did not finish them in time. */
  'busy',
  /** Its agent said no. */
  'refused',
  /** Someone else changed what is deployed there meanwhile. */
  'changed',
  /** It died in the middle; its agent ends the deploy by itself when it is back. */
  'lost',
  'cancelled',
  /** It was never begun. */
  'skipped',
] as const
export type LegState = (typeof legStates)[number]

export const underWayStates: readonly LegState[] = ['checking', 'deploying', 'proving']
export const isUnderWay = (state: LegState) => underWayStates.includes(state)
export const isEnded = (state: LegState) => state !== 'waiting' && !isUnderWay(state)
export const hasEnded = (status: RolloutStatus) =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Batches in the order in which they are taken. */
export function inBatches<Item>(items: readonly Item[], maxUnavailable: number): Item[][] {
  const size = Math.max(1, Math.floor(maxUnavailable))
  const batches: Item[][] = []
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size))
  return batches
}
