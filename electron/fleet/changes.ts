import type { MachineView } from '../../shared/domain/machine.ts'
import type { Clock } from '../clock.ts'

/** Short enough to feel immediate, long enough that a machine's burst of news is one message. */
const gatherMs = 50
/**
 * So many machines in one message. A thousand at once would be tens of megabytes that live for a moment, and the
 * runtime would keep room for them; the rest follows at once, after whatever else is waiting.
 */
const atOnce = 100

/** Gathers what changed and says it once. */
export class Changes {
  readonly #clock: Clock
  readonly #view: (id: string) => MachineView | undefined
  readonly #send: (changes: { changed: MachineView[]; removed: string[] }) => void
  readonly #changed = new Set<string>()
  readonly #removed = new Set<string>()
  #cancel: (() => void) | undefined

  constructor(
    clock: Clock,
    view: (id: string) => MachineView | undefined,
    send: (changes: { changed: MachineView[]; removed: string[] }) => void,
  ) {
    this.#clock = clock
    this.#view = view
    this.#send = send
  }

  changed(id: string): void {
    this.#changed.add(id)
    this.#later()
  }

  removed(id: string): void {
    this.#changed.delete(id)
    this.#removed.add(id)
    this.#later()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #later(afterMs = gatherMs): void {
    this.#cancel ??= this.#clock.after(afterMs, () => {
      this.#cancel = undefined
      const ids = [...this.#changed].slice(0, atOnce)
      for (const id of ids) this.#changed.delete(id)
      // Made now, not when the change was reported: a window gets the newest view.
      const changed = ids.map(this.#view).filter((view) => view !== undefined)
      const removed = [...this.#removed]
      this.#removed.clear()
      this.#send({ changed, removed })
      if (this.#changed.size > 0) this.#later(0)
    })
  }
}
