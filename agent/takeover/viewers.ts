import type { Watcher } from '../../shared/contract/takeover.ts'
import type { Publish } from '../events/publish.ts'

/** The place of one who looks. */
export interface Seat {
  leave(): void
  /** Whether it now asks to act, and not only to look. */
  asks(control: boolean): void
}

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

  /** Counts one more. */
  join(operator: string | null, control: boolean): Seat {
    const watcher = { operator, since: new Date().toISOString(), control }
    this.#watching.add(watcher)
    this.#tell()
    return {
      leave: () => {
        if (this.#watching.delete(watcher)) this.#tell()
      },
      asks: (control) => {
        if (watcher.control === control) return
        watcher.control = control
        if (this.#watching.has(watcher)) this.#tell()
      },
    }
  }

  #tell(): void {
    this.#publish('viewers', { count: this.count, watching: this.watching })
  }
}
