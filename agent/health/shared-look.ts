/**
 * A look at something, shared by all who ask at once: asking often must not make the machine work. There is one look
 * at a time, and all who came during it share the next one. Nobody gets one from before they asked.
 */
export class SharedLook<Found> {
  readonly #look: () => Promise<Found>
  #now: Promise<Found> | undefined
  #next: Promise<Found> | undefined

  constructor(look: () => Promise<Found>) {
    this.#look = look
  }

  look(): Promise<Found> {
    if (this.#now === undefined) return this.#begin()
    this.#next ??= this.#now
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#begin()
      })
    return this.#next
  }

  #begin(): Promise<Found> {
    this.#now = this.#look().finally(() => {
      this.#now = undefined
    })
    return this.#now
  }
}
