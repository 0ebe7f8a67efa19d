/** A time limit that stands still while a person is asked. */
export class PatientLimit {
  readonly #ms: number
  readonly #onHit: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking = 0
  #ended = false

  constructor(ms: number, onHit: () => void) {
    this.#ms = ms
    this.#onHit = onHit
    this.restart()
  }

  /** Progress was made: the whole time is there again. */
  restart(): void {
    clearTimeout(this.#timer)
    if (!this.#ended && this.#asking === 0) this.#timer = setTimeout(this.#onHit, this.#ms)
  }

  readonly whileAsking = async <Result>(work: Promise<Result>): Promise<Result> => {
    this.#asking++
    clearTimeout(this.#timer)
    try {
      return await work
    } finally {
      this.#asking--
      this.restart()
    }
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }
}
