/** A window that hangs must not keep the console from ending. */
const limitMs = 1000

/** Waits for as many windows as were asked, or not for long. */
export class Gathered {
  #missing = 0
  #done: (() => void) | undefined

  /** `ask` asks every window, and says how many there are. */
  async from(ask: () => number): Promise<void> {
    this.#missing = ask()
    if (this.#missing === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#done = resolve
      timer = setTimeout(resolve, limitMs)
    })
    clearTimeout(timer)
  }

  given(): void {
    if (--this.#missing === 0) this.#done?.()
  }
}
