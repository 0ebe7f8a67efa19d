import type { CdpParams, CdpSession } from '../browser/cdp.ts'

export type Milestone = 'load' | 'domcontentloaded' | 'networkidle'

const lifecycleNames: Record<string, Milestone> = {
  load: 'load',
  DOMContentLoaded: 'domcontentloaded',
  networkIdle: 'networkidle',
}
const all = new Set<Milestone>(['load', 'domcontentloaded', 'networkidle'])
/** Statuses, and why a document did not come, are told before the document they belong to is shown: a few are enough. */
const keptStatuses = 20

/** How far the document of a tab is; told by Chromium, kept here, so that no wait can miss it. */
export class Loading {
  #loaderId = ''
  #mainFrameId: string
  #reached = new Set<Milestone>()
  readonly #statuses = new Map<string, number>()
  readonly #failures = new Map<string, string>()
  /** It loads no further: it has loaded, was stopped by a script, or the rest of it did not come. */
  #stopped = false
  /** Where the document could not be had from, and the browser shows a page of its own instead; null when it could. */
  unreachable: string | null = null
  readonly #waiting = new Set<() => void>()
  /** Documents shown so far, and moves within one: what a caller compares to see that something happened. */
  documents = 0
  moves = 0
  /** When the last of these was. */
  movedAt = Number.NEGATIVE_INFINITY

  constructor(mainFrameId: string) {
    this.#mainFrameId = mainFrameId
  }

  follow(cdp: CdpSession): () => void {
    const stops = [
      cdp.on('Page.frameNavigated', (params) => this.#navigated(params)),
      cdp.on('Page.navigatedWithinDocument', (params) => {
        if (params['frameId'] !== this.#mainFrameId) return
        this.moves++
        this.movedAt = performance.now()
        this.#tell()
      }),
      cdp.on('Page.lifecycleEvent', (params) => this.#lifecycle(params)),
      cdp.on('Page.frameStoppedLoading', (params) => {
        if (params['frameId'] !== this.#mainFrameId) return
        this.#stopped = true
        this.#tell()
      }),
      cdp.on('Network.responseReceived', (params) => this.#response(params)),
      cdp.on('Network.loadingFailed', (params) => this.#failed(params)),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  get loaderId(): string {
    return this.#loaderId
  }

  has(milestone: Milestone): boolean {
    return this.#reached.has(milestone)
  }

  /** Whether the document is as far as that, or as far as it will ever be: one that was stopped says no more. */
  isDone(milestone: Milestone): boolean {
    return this.has(milestone) || (this.#stopped && !this.has('load'))
  }

  /** Why the document that is shown ends in the middle; null for one that came whole. */
  get brokenOff(): string | null {
    return this.has('load') ? null : this.failureOf(this.#loaderId)
  }

  statusOf(loaderId: string): number | null {
    return this.#statuses.get(loaderId) ?? null
  }

  /** Why the document of that loader did not come, as Chromium calls it. */
  failureOf(loaderId: string): string | null {
    return this.#failures.get(loaderId) ?? null
  }

  /** Waits until the condition holds; looked at whenever something changed. */
  until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(look)
        signal.removeEventListener('abort', aborted)
      }
      const look = () => {
        if (!condition()) return
        end()
        resolve()
      }
      const aborted = () => {
        end()
        reject(signal.reason)
      }
      this.#waiting.add(look)
      signal.addEventListener('abort', aborted)
      if (signal.aborted) aborted()
      else look()
    })
  }

  #navigated(params: CdpParams): void {
    const frame = params['frame'] as { id: string; parentId?: string; loaderId: string; unreachableUrl?: string }
    if (frame.parentId !== undefined) return
    this.unreachable = frame.unreachableUrl ?? null
    this.#mainFrameId = frame.id
    this.documents++
    this.movedAt = performance.now()
    // A page that comes back from the cache has been loaded before, and does not say so again.
    const restored = params['type'] === 'BackForwardCacheRestore'
    if (frame.loaderId !== this.#loaderId || restored) this.#begin(frame.loaderId, restored ? all : [])
    this.#tell()
  }

  #lifecycle(params: CdpParams): void {
    if (params['frameId'] !== this.#mainFrameId) return
    const loaderId = String(params['loaderId'])
    if (params['name'] === 'init' && loaderId !== this.#loaderId) this.#begin(loaderId, [])
    const milestone = lifecycleNames[String(params['name'])]
    if (milestone === undefined || loaderId !== this.#loaderId) return
    this.#reached.add(milestone)
    this.#tell()
  }

  #response(params: CdpParams): void {
    if (params['type'] !== 'Document' || params['frameId'] !== this.#mainFrameId) return
    keep(this.#statuses, String(params['loaderId']), Number((params['response'] as { status?: unknown }).status))
    this.#tell()
  }

  /** The request of a document goes by the id of its loader. */
  #failed(params: CdpParams): void {
    if (params['type'] === 'Document') keep(this.#failures, String(params['requestId']), String(params['errorText']))
  }

  #begin(loaderId: string, reached: Iterable<Milestone>): void {
    this.#loaderId = loaderId
    this.#reached = new Set(reached)
    this.#stopped = false
  }

  #tell(): void {
    for (const look of [...this.#waiting]) look()
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  const oldest = map.keys().next()
  if (map.size > keptStatuses && !oldest.done) map.delete(oldest.value)
}
