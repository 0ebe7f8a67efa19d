import type { Clock } from './clock.ts'

/** A clock for tests: time passes when told, and what falls due runs in order. */
export class TestClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00.000Z')
  #due: { at: number; callback: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): () => void {
    const item = { at: this.#now + ms, callback }
    this.#due.push(item)
    return () => {
      this.#due = this.#due.filter((other) => other !== item)
    }
  }

  /** As when someone sets the clock: no time passes by it. */
  set(now: number): void {
    for (const item of this.#due) item.at += now - this.#now
    this.#now = now
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    await settle()
    for (;;) {
      const next = this.#due.filter((item) => item.at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#due = this.#due.filter((item) => item !== next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
      await settle()
    }
    this.#now = until
  }
}

/** Lets everything that is ready to run, run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
