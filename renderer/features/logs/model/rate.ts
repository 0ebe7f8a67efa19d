/** Lines a second, over the last few of them. */
export class Rate {
  #seconds = new Map<number, number>()

  add(count: number, now = performance.now()): void {
    const second = Math.floor(now / 1000)
    this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + count)
    for (const old of this.#seconds.keys()) if (old < second - 4) this.#seconds.delete(old)
  }

  /** Of the last whole seconds: the one that runs is not over. */
  get perSecond(): number {
    const second = Math.floor(performance.now() / 1000)
    let sum = 0
    for (const [at, count] of this.#seconds) if (at >= second - 3 && at < second) sum += count
    return Math.round(sum / 3)
  }
}
