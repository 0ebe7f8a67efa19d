import type { Publish } from '../events/publish.ts'

/** How many look at the browser now. */
export class Viewers {
  readonly #publish: Publish
  #count = 0

  constructor(publish: Publish) {
    this.#publish = publish
  }

  get count(): number {
    return this.#count
  }

  /** Counts one more; returns what counts it out again. */
  join(): () => void {
    this.#change(1)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#change(-1)
    }
  }

  #change(by: number): void {
    this.#count += by
    this.#publish('viewers', { count: this.#count })
  }
}
