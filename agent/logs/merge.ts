import type { LogLine } from '../../shared/contract/logs.ts'
import type { Nudge } from './file-alarm.ts'

/** A line waits until every other log was looked at this much later: Docker stamps a line a little before it writes it. */
const marginMs = 20
/** Where a log cannot be looked at on demand, this long. */
const waitMs = 250
/** A container whose log has only just been opened holds the others back for at most this long. */
const openingMs = 2000
/** A container far ahead of the others is not read further than this. */
const maxWaitingLines = 4096
const batchLines = 2048

interface Branch {
  waiting: LogLine[]
  /** When each of them came. */
  arrived: number[]
  taken: number
  opened: number
  lookedAt: number
  closed: boolean
  nudge: Nudge | undefined
  /** Has shown lines, or that there are none. */
  settled: boolean
  release: (() => void) | undefined
}

export interface MergeBranch {
  /** An empty portion says that there is nothing more for now. */
  offer(lines: LogLine[]): void | Promise<void>
  close(): void
}

/** Several containers' lines in the order of their times, as far as a live stream can know it. */
export class TimeMerge {
  readonly #deliver: (lines: LogLine[]) => void | Promise<void>
  readonly #branches = new Set<Branch>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #emitting = false
  #stopped = false

  constructor(deliver: (lines: LogLine[]) => void | Promise<void>) {
    this.#deliver = deliver
  }

  /** `nudge` makes the branch look at its log at once; it then offers what it found, or an empty portion. */
  open(nudge?: Nudge): MergeBranch {
    const branch: Branch = {
      waiting: [],
      arrived: [],
      taken: 0,
      opened: performance.now(),
      lookedAt: 0,
      nudge,
      closed: false,
      settled: false,
      release: undefined,
    }
    this.#branches.add(branch)
    return {
      offer: (lines) => this.#offer(branch, lines),
      close: () => {
        branch.closed = true
        // What waits still goes out, in its turn.
        if (branch.waiting.length === 0) this.#branches.delete(branch)
        void this.#emit()
      },
    }
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    for (const branch of this.#branches) branch.release?.()
    this.#branches.clear()
  }

  #offer(branch: Branch, lines: LogLine[]): void | Promise<void> {
    if (this.#stopped) return
    branch.settled = true
    branch.lookedAt = performance.now()
    if (this.#branches.size === 1 && branch.waiting.length === 0 && !this.#emitting)
      return lines.length === 0 ? undefined : this.#deliver(lines)
    const now = performance.now()
    for (const line of lines) {
      branch.waiting.push(line)
      branch.arrived.push(now)
    }
    void this.#emit()
    if (branch.waiting.length - branch.taken <= maxWaitingLines) return
    return new Promise((resolve) => {
      branch.release = resolve
    })
  }

  async #emit(): Promise<void> {
    if (this.#emitting || this.#stopped) return
    this.#emitting = true
    try {
      for (let batch = this.#due(); batch.length > 0 && !this.#stopped; batch = this.#due()) await this.#deliver(batch)
    } finally {
      this.#emitting = false
    }
  }

  #due(): LogLine[] {
    const batch: LogLine[] = []
    while (batch.length < batchLines) {
      const first = this.#earliest()
      if (first === undefined) break
      const wait = this.#waitFor(first.arrived[first.taken] ?? 0)
      if (wait > 0) {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => void this.#emit(), wait + 1)
        break
      }
      this.#take(first, batch)
    }
    return batch
  }

  #earliest(): Branch | undefined {
    let first: Branch | undefined
    let best: LogLine | undefined
    for (const branch of this.#branches) {
      const line = branch.waiting[branch.taken]
      if (line === undefined || (best !== undefined && line.timestamp >= best.timestamp)) continue
      first = branch
      best = line
    }
    return first
  }

  /** How long until no other container can have an earlier line than one that arrived then. */
  #waitFor(arrived: number): number {
    const now = performance.now()
    let wait = 0
    for (const branch of this.#branches) {
      if (branch.waiting.length > branch.taken || branch.closed) continue
      const look = branch.nudge?.look
      if (!branch.settled) wait = Math.max(wait, branch.opened + openingMs - now)
      else if (look === undefined) wait = Math.max(wait, arrived + waitMs - now)
      else if (branch.lookedAt < arrived + marginMs) {
        const untilLook = arrived + marginMs - now
        if (untilLook <= 0) look()
        // A look that takes so long is not waited for.
        wait = Math.max(wait, untilLook > 0 ? untilLook : arrived + openingMs - now)
      }
    }
    return wait
  }

  #take(branch: Branch, batch: LogLine[]): void {
    const line = branch.waiting[branch.taken]
    if (line !== undefined) batch.push(line)
    branch.taken++
    const left = branch.waiting.length - branch.taken
    if (left === 0 || branch.taken >= 1024) {
      branch.waiting = branch.waiting.slice(branch.taken)
      branch.arrived = branch.arrived.slice(branch.taken)
      branch.taken = 0
    }
    if (left <= maxWaitingLines / 2) {
      branch.release?.()
      branch.release = undefined
    }
    if (left === 0 && branch.closed) this.#branches.delete(branch)
  }
}
