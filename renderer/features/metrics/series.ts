import type { Metrics } from '../../../shared/contract/machine.ts'
import type { IpcResult } from '../../../shared/ipc.ts'

type History = IpcResult<'metrics.history'>
type Point = History['points'][number]

export const ranges = { '1h': '1 h', '6h': '6 h', '24h': '24 h', '7d': '7 d' } as const
export type Range = keyof typeof ranges
export const rangeMs: Readonly<Record<Range, number>> = {
  '1h': 3_600_000,
  '6h': 6 * 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 86_400_000,
}

/** What charts draw: for every moment, each value or none. */
export interface Lines {
  /** Seconds since 1970. */
  times: number[]
  cpu: (number | null)[]
  memory: (number | null)[]
  disk: (number | null)[]
  rx: (number | null)[]
  tx: (number | null)[]
}

const values = ['cpu', 'memory', 'disk', 'rx', 'tx'] as const

/** A reading that comes this much later than its rhythm leaves a gap before it. */
const gapFactor = 2.5

/** Each moment with its reading, and one without wherever nothing was heard for a while. */
export function withGaps<Point extends { at: number }>(
  points: readonly Point[],
  everyMs: number,
): { at: number; point: Point | null }[] {
  const found: { at: number; point: Point | null }[] = []
  let before: Point | undefined
  for (const point of points) {
    if (before !== undefined && point.at - before.at > everyMs * gapFactor)
      found.push({ at: before.at + everyMs, point: null })
    found.push({ at: point.at, point })
    before = point
  }
  return found
}

/** The points as lines, with a gap wherever nothing was heard for a while. */
export function linesOf({ everyMs, points }: History): Lines {
  const lines: Lines = { times: [], cpu: [], memory: [], disk: [], rx: [], tx: [] }
  for (const { at, point } of withGaps(points, everyMs)) {
    lines.times.push(at / 1000)
    for (const name of values) lines[name].push(point?.[name] ?? null)
  }
  return lines
}

/** The history with the reading of this moment at its end. */
export function withNow(history: History, now: Metrics | null, at: number): History {
  const last = history.points.at(-1)
  if (now === null || (last !== undefined && last.at >= at)) return history
  const point: Point = {
    at,
    cpu: now.cpu.usagePercent,
    memory: now.memory.usagePercent,
    disk: now.disk.usagePercent,
    rx: now.network.rxBytesPerSec,
    tx: now.network.txBytesPerSec,
  }
  return { ...history, points: [...history.points, point] }
}
