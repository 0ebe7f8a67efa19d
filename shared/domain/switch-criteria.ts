/** When an engine has to make way for another one: pure rules, the same on both ends. */

export const engineNames = ['stagehand', 'magnitude'] as const
export type EngineName = (typeof engineNames)[number]
export const engineModes = ['dom', 'cua'] as const
/** Only Stagehand has modes; for the others it is null. */
export type EngineMode = (typeof engineModes)[number] | null

/** An engine in one of its modes: what a switch goes from and to. */
export interface Driver {
  engine: EngineName
  mode: EngineMode
}

export interface EngineLimits {
  /** Failures in a row before a switch. */
  failures: number
  /** Time for one operation. */
  timeMs: number
  /** The lowest confidence that is accepted. */
  confidence: number
  /** How often it tries again by itself, within one attempt, what failed before it touched the page. */
  retries: number
}

export const defaultLimits: Record<EngineName, EngineLimits> = {
  stagehand: { failures: 3, timeMs: 15_000, confidence: 0.6, retries: 2 },
  magnitude: { failures: 3, timeMs: 30_000, confidence: 0.5, retries: 2 },
}

/** What one operation came to. */
export interface Observed {
  failed: boolean
  durationMs: number
  /** Null where the engine has none: no confidence is not a low one. */
  confidence: number | null
}

export type SwitchReason = 'failures' | 'duration' | 'confidence' | 'operator' | 'level_exhausted' | 'hand_back'
export type Decision = { switch: false } | { switch: true; reason: SwitchReason; detail: string }

/** Failures in a row after this operation; one that succeeds without being sure does not count as a failure. */
export function countFailures(before: number, observed: Observed): number {
  return observed.failed ? before + 1 : 0
}

/** Looks at the three criteria. `failuresInRow` includes the operation that was observed. */
export function decideSwitch(observed: Observed, failuresInRow: number, limits: EngineLimits): Decision {
  if (observed.durationMs > limits.timeMs) {
    const detail = `it took ${Math.round(observed.durationMs)} ms; the limit is ${limits.timeMs} ms`
    return { switch: true, reason: 'duration', detail }
  }
  if (!observed.failed && observed.confidence !== null && observed.confidence < limits.confidence) {
    const detail = `its confidence was ${observed.confidence}; the least accepted is ${limits.confidence}`
    return { switch: true, reason: 'confidence', detail }
  }
  if (failuresInRow >= limits.failures) {
    return { switch: true, reason: 'failures', detail: `it failed ${failuresInRow} times in a row` }
  }
  return { switch: false }
}

export function sameDriver(a: Driver | null, b: Driver | null): boolean {
  return a?.engine === b?.engine && (a?.mode ?? null) === (b?.mode ?? null)
}

/** `stagehand/dom`, `magnitude`: how a driver is called in history, pins and sentences. */
export function driverName(driver: { engine: string; mode: string | null }): string {
  return driver.mode === null ? driver.engine : `${driver.engine}/${driver.mode}`
}
