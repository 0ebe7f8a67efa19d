import { useSyncExternalStore } from 'react'

/** A hidden window paints nothing; its panels still may not fall behind for good. */
const hiddenMs = 250

/** Something that changes often: whoever watches is told at most once per frame. */
export class Changing {
  readonly #watchers = new Set<() => void>()
  #version = 0
  #due = false

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  readonly version = (): number => this.#version

  protected changed(): void {
    if (this.#due) return
    this.#due = true
    const tell = () => {
      if (!this.#due) return
      this.#due = false
      this.#version++
      for (const watcher of this.#watchers) watcher()
    }
    requestAnimationFrame(tell)
    setTimeout(tell, hiddenMs)
  }
}

/** Draws the component again when it changed. */
export function useChanging(model: Changing): number {
  return useSyncExternalStore(model.subscribe, model.version)
}
