import type { PageEvent } from '../../shared/contract/page-watching.ts'

export type { PageEvent }

type Listener = (event: PageEvent) => void

/** What happens on the pages, for whoever listens. */
export class PageEvents {
  readonly #listeners = new Set<Listener>()

  /** Calls back for everything that happens from now on; returns what ends it. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits for the next event of that kind, for so long at most. */
  next(type: PageEvent['type'], limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        stop()
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const stop = this.on((event) => {
        if (event.type === type) end()
      })
      const timer = setTimeout(end, limitMs)
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })
  }

  emit(event: PageEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
