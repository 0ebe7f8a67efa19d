import type { FromSearcher, Pattern, ToSearcher } from './protocol.ts'

/** A worker that looks for matches, as far as it matters here. */
export interface SearchWorker {
  postMessage(message: ToSearcher, transfer: Transferable[]): void
  terminate(): void
  onmessage: ((event: { data: FromSearcher }) => void) | null
}

/** How long one piece may take. Half a megabyte takes milliseconds; only an expression that explodes takes longer. */
const limitMs = 2000

export class SearchTookTooLong extends Error {}

type Question = ToSearcher extends infer Each ? (Each extends ToSearcher ? Omit<Each, 'id'> : never) : never

/**
 * Looks for a pattern in another thread, which is ended when an expression takes too long: a regular expression can
 * be made to take longer than the universe lasts, and nothing inside of it can be interrupted.
 */
export class Searcher {
  readonly #make: () => SearchWorker
  #worker: SearchWorker | undefined
  #next = 0
  #asked = new Map<number, { resolve: (answer: FromSearcher) => void; reject: (error: Error) => void }>()

  constructor(make: () => SearchWorker) {
    this.#make = make
  }

  async test(pattern: Pattern, text: string, ends: Uint32Array): Promise<Uint32Array> {
    const found = await this.#ask({ kind: 'test', pattern, text, ends }, [ends.buffer as ArrayBuffer])
    return 'hits' in found ? found.hits : new Uint32Array()
  }

  async ranges(pattern: Pattern, texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    const found = await this.#ask({ kind: 'ranges', pattern, texts }, [])
    return 'ranges' in found ? found.ranges : []
  }

  /** Gives up everything that is under way. */
  stop(error: Error): void {
    this.#worker?.terminate()
    this.#worker = undefined
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(error)
  }

  #ask(question: Question, transfer: Transferable[]): Promise<FromSearcher> {
    const id = this.#next++
    this.#worker ??= this.#start()
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => this.stop(new SearchTookTooLong()), limitMs)
      const settle =
        <Value>(done: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(limit)
          done(value)
        }
      this.#asked.set(id, { resolve: settle(resolve), reject: settle(reject) })
      worker.postMessage({ ...question, id } as ToSearcher, transfer)
    })
  }

  #start(): SearchWorker {
    const worker = this.#make()
    worker.onmessage = ({ data }) => {
      const asked = this.#asked.get(data.id)
      this.#asked.delete(data.id)
      if ('problem' in data) asked?.reject(new Error(data.problem))
      else asked?.resolve(data)
    }
    return worker
  }
}
