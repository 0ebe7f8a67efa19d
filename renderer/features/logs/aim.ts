import type { Stats } from './model/protocol.ts'
import { formatMoment } from './row.ts'

/** A moment that is looked for in the lines that come. */
export interface Aim {
  time: number
  /** Where it was chosen; null when it was typed here. */
  from: 'the timeline' | null
  /** Everything that could hold it has been read. */
  there: boolean
}

/** What is to be said about it; null when it is simply there. */
export function aimText({ time, from, there }: Aim, stats: Pick<Stats, 'firstTime' | 'lastTime' | 'left'> | null) {
  const [moment, origin] = [formatMoment(time), from === null ? '' : `, from ${from}`]
  const { firstTime = null, lastTime = null, left = 0 } = stats ?? {}
  if (!there && (lastTime ?? 0) < time) return `Looking for ${moment}${origin}.`
  if (firstTime === null || lastTime === null) return `There is no line at ${moment} or later.`
  if (lastTime < time) return `There is no line at ${moment} or later. The last one is at ${formatMoment(lastTime)}.`
  if (firstTime <= time) return from === null ? null : `At ${moment}${origin}.`
  if (left > 0) return `The lines at ${moment} have left the view, which keeps the newest.`
  return `There is no line at ${moment}. The first one after it is at ${formatMoment(firstTime)}.`
}
