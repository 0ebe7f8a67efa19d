import type { Attempt, EngineConfig } from '../../../shared/contract/engines.ts'
import { planCascade } from '../../../shared/domain/cascade.ts'
import type { Platform } from '../../../shared/domain/platforms.ts'
import type { SeenEvent } from '../live/timeline.store.ts'
import { driverOf, type EngineState, type Firsts } from './engine.store.ts'

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
  firsts: Firsts = {},
): CascadeView {
  const seen = lastRun(events)
  const running = state?.cascadeLevel != null
  const ofThisRun = !running || seen[0]?.runId === state?.runId ? seen : []
  const platform = ofThisRun[0]?.platform ?? 'unknown'
  // The agent says who comes first there, by a pin or by what it learned.
  const first = firsts[platform] ?? config.pins[platform as Platform]
  const { levels } = planCascade(config.cascade, platform as Platform, first, [])
  const now = running ? atWork(state, levels) : null
  return {
    platform,
    totalMs: config.cascade.totalMs,
    running,
    levels: levels.map((level, place) => {
      const tries = ofThisRun.filter(({ attempt }) => driverOf(attempt) === driverOf(level))
      const passed = running && place + 1 < (state?.cascadeLevel ?? 0)
      // Whoever took over without being asked stands there, too.
      const current = driverOf(level) === now || (level.engine === 'human' && state?.engine === 'human')
      return { ...level, tries: tries.length, mark: current ? 'current' : markOf(tries, passed) }
    }),
  }
}

/** Whose turn it is: the engine that is connected, which need not be that of its level if an operator chose it. */
function atWork(state: EngineState | null, levels: readonly { engine: string; mode: string | null }[]): string | null {
  const level = levels[(state?.cascadeLevel ?? 0) - 1]
  const connected = levels.find((one) => state?.state === 'connected' && driverOf(one) === driverOf(state))
  const turn = level?.engine === 'human' ? level : (connected ?? level)
  return turn === undefined ? null : driverOf(turn)
}

function markOf(tries: readonly Operation[], passed: boolean): CascadeLevel['mark'] {
  if (tries.some(({ attempt }) => attempt.result === 'success')) return 'done'
  return passed || tries.length > 0 ? 'failed' : 'waiting'
}
