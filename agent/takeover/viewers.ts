import type { Watcher } from '../../shared/contract/takeover.ts'
import type { Publish } from '../events/publish.ts'

/** Who looks at the browser now. */
export class Viewers {
  readonly #publish: Publish
  readonly #watching = new Set<Watcher>()

  constructor(publish: Publish) {
    this.#publish = publish
  }

  get count(): number {
    return this.#watching.size
  }

  get watching(): Watcher[] {
    return [...this.#watching]
  }

  /** Counts one more; returns what counts it out again. */
  join(operator: string | null, control: boolean): () => void {
    const watcher = { operator, since: new Date().toISOString(), control }
    this.#watching.add(watcher)
    this.#tell()
    return () => {
      if (this.#watching.delete(watcher)) this.#tell()
    }
  }

  #tell(): void {
    this.#publish('viewers', { count: this.count, watching: this.watching })
  }
}
