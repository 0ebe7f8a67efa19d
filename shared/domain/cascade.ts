import type { Platform } from './platforms.ts'
import { driverName, type EngineMode, type EngineName } from './switch-criteria.ts'

/** Who tries next when an operation does not succeed: pure rules. */

export interface Level {
  engine: EngineName | 'human'
  mode: EngineMode
  /** Attempts beyond the first. */
  retries: number
  /** Time for one attempt; at the human level, for somebody to accept. */
  timeMs: number
}

export interface Cascade {
  /** All attempts together. A person who has accepted is bounded by the lease instead. */
  totalMs: number
  levels: readonly Level[]
  /** Platforms with levels of their own; a level that is left out is skipped there. */
  platforms: Partial<Record<Platform, readonly Level[]>>
}

const dom: Level = { engine: 'stagehand', mode: 'dom', retries: 2, timeMs: 15_000 }
const cua: Level = { engine: 'stagehand', mode: 'cua', retries: 1, timeMs: 30_000 }
const magnitude: Level = { engine: 'magnitude', mode: null, retries: 2, timeMs: 30_000 }
const human: Level = { engine: 'human', mode: null, retries: 1, timeMs: 120_000 }

export const defaultCascade: Cascade = {
  totalMs: 300_000,
  levels: [dom, cua, magnitude, human],
  platforms: { workday: [{ ...magnitude, retries: 3 }, cua, human] },
}

/** How one engine did on one platform. */
export interface TrackRecord {
  driver: string
  operations: number
  successes: number
}

export interface Plan {
  levels: readonly Level[]
  /** Why the first is the first. */
  rule: 'pinned' | 'history' | 'table'
  why: string
}

/** Operations on a platform before its history is listened to. */
export const enoughOperations = 20
/** How likely chance alone may make such a difference. */
const chance = 0.05

/** The levels for a platform, in the order in which they are tried, and why. */
export function planCascade(
  cascade: Cascade,
  platform: Platform,
  pin: string | undefined,
  history: readonly TrackRecord[],
): Plan {
  const levels = cascade.platforms[platform] ?? cascade.levels
  const inTable = (name: string) => levels.find((level) => driverName(level) === name)
  if (pin !== undefined) {
    const others = [...cascade.levels, ...defaultCascade.levels]
    const pinned = inTable(pin) ?? others.find((level) => driverName(level) === pin)
    if (pinned !== undefined)
      return { levels: first(pinned, levels), rule: 'pinned', why: `${pin} is pinned for ${platform}` }
  }
  const start = levels.find((level) => level.engine !== 'human')
  const better = start === undefined ? undefined : doesBetter(driverName(start), history)
  const chosen = better === undefined ? undefined : inTable(better.driver)
  if (better !== undefined && chosen !== undefined)
    return { levels: first(chosen, levels), rule: 'history', why: better.why }
  return { levels, rule: 'table', why: `the order for ${platform}` }
}

function first(chosen: Level, levels: readonly Level[]): Level[] {
  return [chosen, ...levels.filter((level) => driverName(level) !== driverName(chosen))]
}

/** The engine that did better than the usual first one, by more than chance; undefined when none did. */
function doesBetter(usual: string, history: readonly TrackRecord[]): { driver: string; why: string } | undefined {
  const total = history.reduce((sum, { operations }) => sum + operations, 0)
  const own = history.find(({ driver }) => driver === usual)
  if (total < enoughOperations || own === undefined || own.operations === 0) return undefined
  const [best] = history.filter(({ operations }) => operations > 0).sort((a, b) => rate(b) - rate(a))
  if (best === undefined || best.driver === usual || rate(best) <= rate(own)) return undefined
  const p = chanceOf(best, own)
  if (p >= chance) return undefined
  const figures = (one: TrackRecord) => `${one.successes} of ${one.operations}`
  const why = `${best.driver} did ${figures(best)} here and ${usual} ${figures(own)}; chance alone does that in ${(p * 100).toFixed(1)} % of cases`
  return { driver: best.driver, why }
}

function rate({ operations, successes }: TrackRecord): number {
  return successes / operations
}

/**
 * Fisher's exact test, one-sided: how likely `better` would do at least this much better if both were equally good.
 * Exact, because twenty operations are too few for an approximation.
 */
export function chanceOf(better: TrackRecord, other: TrackRecord): number {
  const all = better.operations + other.operations
  const successes = better.successes + other.successes
  const most = Math.min(better.operations, successes)
  let p = 0
  for (let k = better.successes; k <= most; k++)
    p += Math.exp(choose(better.operations, k) + choose(other.operations, successes - k) - choose(all, successes))
  return Math.min(1, p)
}

/** The logarithm of the number of ways to choose k of n; minus infinity where there is none. */
function choose(n: number, k: number): number {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY
  let sum = 0
  for (let i = 1; i <= k; i++) sum += Math.log(n - k + i) - Math.log(i)
  return sum
}
