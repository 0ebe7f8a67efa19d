import type { Tone } from '../../ui/tone.ts'
import { isError, type Placed } from './lanes.ts'
import { type View, xOf } from './scale.ts'

/** A span that is narrower than this is a mark; marks closer than this are one. */
export const markPx = 9

export type Mark =
  | { type: 'span'; x1: number; x2: number; tone: Tone; placed: Placed }
  /** Long-lasting states under the rest: a browser that runs, an engine that is connected. */
  | { type: 'ground'; x1: number; x2: number; tone: Tone; placed: Placed }
  | { type: 'point'; x: number; tone: Tone; placed: Placed }
  | { type: 'cluster'; x1: number; x2: number; tone: Tone; count: number; first: Placed; last: Placed }

const grounds: ReadonlySet<string> = new Set(['browser', 'engine'])
const weight: Readonly<Record<Tone, number>> = {
  broken: 6,
  expired: 5,
  person: 4,
  unknown: 3,
  engine: 2,
  up: 1,
  off: 0,
}

interface Gathered {
  x1: number
  x2: number
  tone: Tone
  count: number
  first: Placed
  last: Placed
}

/**
 * What one lane draws: never more marks than its width has room for, however many entries there are. The entries
 * are in time order, so that one pass is enough.
 */
export function layoutLane(placed: readonly Placed[], view: View, width: number, now: number): Mark[] {
  const marks: Mark[] = []
  let gathered: Gathered | null = null
  const give = () => {
    if (gathered === null) return
    const { x1, x2, tone, count, first, last } = gathered
    if (count === 1) marks.push({ type: 'point', x: x1, tone, placed: first })
    else marks.push({ type: 'cluster', x1, x2, tone, count, first, last })
    gathered = null
  }
  for (const one of placed) {
    if (one.start > view.to) break
    const end = Math.min(one.end, Math.max(now, one.start))
    if (end < view.from) continue
    const x1 = xOf(view, width, one.start)
    const x2 = xOf(view, width, end)
    if (x2 - x1 >= markPx || (one.end === Number.POSITIVE_INFINITY && x1 < width)) {
      const type = grounds.has(one.entry.what) ? 'ground' : 'span'
      marks.push({
        type,
        x1: Math.max(-4, x1),
        x2: Math.min(width + 4, Math.max(x2, x1 + 2)),
        tone: one.tone,
        placed: one,
      })
      continue
    }
    if (x1 < 0) continue
    const open: Gathered | null = gathered
    if (open !== null && x1 - open.x2 < markPx) {
      open.x2 = x1
      open.count++
      open.last = one
      if (weight[one.tone] > weight[open.tone]) open.tone = one.tone
    } else {
      give()
      gathered = { x1, x2: x1, tone: one.tone, count: 1, first: one, last: one }
    }
  }
  give()
  return marks
}

/** The mark under a place of a lane: the nearest that is small, or the shortest span around it. */
export function markAt(marks: readonly Mark[], x: number): Mark | null {
  let best: Mark | null = null
  let bestAway = markPx
  for (const mark of marks) {
    const away = distance(mark, x)
    const small = mark.type === 'point' || mark.type === 'cluster'
    // What lies on top of a span is meant rather than the span.
    const counted = small ? away : away === 0 ? (mark.type === 'ground' ? 8 : 5) : away + 5
    if (counted < bestAway) {
      best = mark
      bestAway = counted
    }
  }
  return best
}

function distance(mark: Mark, x: number): number {
  if (mark.type === 'point') return Math.abs(mark.x - x)
  return x < mark.x1 ? mark.x1 - x : x > mark.x2 ? x - mark.x2 : 0
}

/** How many entries went wrong, for the label of a lane. */
export function errorsIn(placed: readonly Placed[]): number {
  return placed.reduce((sum, one) => sum + (isError(one) ? one.entry.count : 0), 0)
}
