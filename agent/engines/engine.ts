import type { ModelSettings } from '../../shared/contract/engines.ts'
import type { EngineMode, EngineName } from '../../shared/domain/switch-criteria.ts'

/** What an operation of an engine came to. One that did not succeed throws instead. */
export interface EngineResult {
  data: unknown
  /** Between 0 and 1; null where the engine has none. */
  confidence: number | null
}

/** The engine looked, and says that it cannot: to ask the same again would only take time. */
export class GaveUp extends Error {}

export interface EngineConnectOptions {
  /** The tab it is to work in: the one that is in front, or that the operator left. */
  tabId: string | null
  signal: AbortSignal
}

/**
 * Something that drives the browser over CDP. Each call ends when its signal is aborted; what a library goes on
 * doing then no longer reaches the browser, because the connection it was given is cut.
 */
export interface Engine {
  connect(cdpUrl: string, options: EngineConnectOptions): Promise<void>
  /** Leaves the browser, its tabs and everything in them as they are. */
  disconnect(): Promise<void>
  act(instruction: string, signal: AbortSignal): Promise<EngineResult>
  observe(instruction: string, signal: AbortSignal): Promise<EngineResult>
  /** `schema` is a JSON schema. */
  extract(instruction: string, schema: Record<string, unknown> | undefined, signal: AbortSignal): Promise<EngineResult>
  /** The address of the page as the page itself says it: the proof that the engine sees it. */
  currentUrl(signal: AbortSignal): Promise<string>
}

/** What an engine needs from outside. */
export interface EngineSettings {
  model: ModelSettings
  apiKey: string
}

export interface EngineKind {
  readonly name: EngineName
  /** With version, as npm takes it. */
  readonly package: string
  /** Loads the library; rejects where it is not installed. */
  load(): Promise<unknown>
  create(mode: EngineMode, settings: EngineSettings): Engine
}

/** Waits for work no longer than the signal allows; what comes of it later is nobody's concern. */
export function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) {
    work.catch(() => {})
    return Promise.reject(signal.reason)
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
