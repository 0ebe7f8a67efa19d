/** While paused, so many lines are taken in; then the machine waits, and drops and counts what it cannot keep. */
const maxLines = 50_000

/** What came while the view was paused, in its order, and the streams that wait until there is room again. */
export class Held {
  #all: { source: number; add: () => void; lines: number }[] = []
  #waiting: (() => void)[] = []
  lines = 0

  push(source: number, add: () => void, lines: number): void {
    this.#all.push({ source, add, lines })
    this.lines += lines
  }

  /** A promise holds a stream back. */
  whenRoom(): void | Promise<void> {
    if (this.lines >= maxLines) return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** A source that is gone does not come back with what it said before. */
  remove(source: number): void {
    this.#all = this.#all.filter((one) => one.source !== source)
    this.lines = this.#all.reduce((sum, { lines }) => sum + lines, 0)
    if (this.lines < maxLines) this.goOn()
  }

  /** Everything that was held, to be added now. */
  take(): (() => void)[] {
    const all = this.#all.map(({ add }) => add)
    this.#all = []
    this.lines = 0
    return all
  }

  goOn(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
