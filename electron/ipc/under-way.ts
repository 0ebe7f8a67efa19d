import { Problem } from '../../shared/errors.ts'
import type { Caller } from './dispatch.ts'

/** Calls that may be called off while they are under way, each by the id that its window gave it. */
export class UnderWay {
  readonly #running = new Map<string, AbortController>()

  /** What a window asked for is called off when its page goes as well: nobody is left to read the answer. */
  async run<Answer>(id: string, caller: Caller, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    if (this.#running.has(id)) throw new Problem('conflict', 'This is under way already.')
    const abort = new AbortController()
    this.#running.set(id, abort)
    const stopListening = caller.onGone(() => abort.abort())
    try {
      return await work(abort.signal)
    } finally {
      stopListening()
      this.#running.delete(id)
    }
  }

  /** One that has ended is left as it is. */
  cancel(id: string): void {
    this.#running.get(id)?.abort()
  }
}
