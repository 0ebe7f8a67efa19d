/** A log that took its last row is trusted this long; one that did not is tried again soon. */
const trustedMs = 30_000
const againMs = 1000

/**
 * Whether the audit log takes rows. Without a row no change is made, so a log that takes none is a machine that is not
 * well; and it is noticed before somebody needs it, and again when it is mended, without a change being asked for.
 */
export class Writable {
  /** Writes something that changes nothing, to the very disk; throws where that cannot be written. */
  readonly #tryOut: () => void
  readonly #now: () => number
  readonly #listeners = new Set<() => void>()
  #why: string | undefined
  #knownAt = Number.NEGATIVE_INFINITY

  constructor(tryOut: () => void, now: () => number = () => performance.now()) {
    this.#tryOut = tryOut
    this.#now = now
  }

  /** What came of writing a row. */
  note(error: unknown): void {
    const wasWell = this.#why === undefined
    this.#knownAt = this.#now()
    this.#why = error === undefined ? undefined : reason(error)
    if (wasWell !== (this.#why === undefined)) for (const listener of this.#listeners) listener()
  }

  /** Why it takes no rows, as a sentence; undefined where it does. */
  look(): string | undefined {
    if (this.#now() - this.#knownAt < (this.#why === undefined ? trustedMs : againMs)) return this.#why
    try {
      this.#tryOut()
      this.note(undefined)
    } catch (error) {
      this.note(error)
    }
    return this.#why
  }

  /** Calls back when it can be written no more, or again; returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function reason(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error)
  return `The audit log cannot be written (${said}), so every change is refused. Check the disk space of the agent and its data folder.`
}
