import { Problem } from '../../../shared/errors.ts'

/** So many at once; who comes later waits for one to be given back. */
export class Slots {
  #free: number
  readonly #all: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#all = count
    this.#free = count
  }

  /** Resolves with the way to give the slot back, which may be called more than once. */
  async take(limitMs: number): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await this.#wait(limitMs)
    let given = false
    return () => {
      if (given) return
      given = true
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }

  #wait(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(
          new Problem('unreachable', `All ${this.#all} channels to this machine are in use. Close some of its views.`),
        )
      }, limitMs)
      const start = () => {
        clearTimeout(limit)
        resolve()
      }
      this.#waiting.push(start)
    })
  }
}
