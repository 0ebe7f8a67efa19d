/** Lets one piece of work at a time change the machine's containers; the next waits for the one before it. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
