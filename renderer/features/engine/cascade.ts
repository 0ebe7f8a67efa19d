import type { Attempt, EngineConfig } from '../../../shared/contract/engines.ts'
import type { SeenEvent } from '../live/timeline.store.ts'
import { driverOf, type EngineState } from './engine.store.ts'

export interface CascadeLevel {
  engine: string
  mode: string | null
  retries: number
  timeMs: number
  /** What became of it in the run that is shown. */
  mark: 'waiting' | 'current' | 'failed' | 'done'
  tries: number
}

export interface CascadeView {
  platform: string
  totalMs: number
  levels: CascadeLevel[]
  /** Whether an operation runs now. */
  running: boolean
}

interface Operation {
  runId: string
  platform: string
  attempt: Attempt
}

/** The attempts of the last run that this window saw, the first one first. */
export function lastRun(events: readonly SeenEvent[]): Operation[] {
  const operations = events
    .filter(({ type }) => type === 'engine_operation')
    .map((event) => event as unknown as Operation)
    .filter(({ attempt }) => typeof attempt === 'object' && attempt !== null)
  const runId = operations[0]?.runId
  return operations.filter((operation) => operation.runId === runId).reverse()
}

/** Who tries in which order on this platform, and how far the last operation got. */
export function cascadeView(
  config: EngineConfig,
  state: EngineState | null,
  events: readonly SeenEvent[],
): CascadeView {
  const seen = lastRun(events)
  const running = state?.cascadeLevel != null
  const ofThisRun = !running || seen[0]?.runId === state?.runId ? seen : []
  const platform = ofThisRun[0]?.platform ?? 'unknown'
  const table = config.cascade.platforms[platform as keyof typeof config.cascade.platforms] ?? config.cascade.levels
  const pin = config.pins[platform as keyof typeof config.pins]
  // A pinned engine comes first, as the agent has it.
  const levels = [...table].sort((a, b) => Number(driverOf(b) === pin) - Number(driverOf(a) === pin))
  return {
    platform,
    totalMs: config.cascade.totalMs,
    running,
    levels: levels.map((level, place) => {
      const tries = ofThisRun.filter(({ attempt }) => driverOf(attempt) === driverOf(level))
      return {
        ...level,
        tries: tries.length,
        // Whoever took over without being asked stands there, too.
        mark:
          level.engine === 'human' && state?.engine === 'human'
            ? 'current'
            : markOf(tries, running ? (state?.cascadeLevel ?? null) : null, place + 1),
      }
    }),
  }
}

function markOf(tries: readonly Operation[], level: number | null, place: number): CascadeLevel['mark'] {
  if (level !== null) return place < level ? 'failed' : place === level ? 'current' : 'waiting'
  if (tries.length === 0) return 'waiting'
  return tries.some(({ attempt }) => attempt.result === 'success') ? 'done' : 'failed'
}
