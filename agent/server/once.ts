import { hash } from 'node:crypto'
import { Problem } from '../../shared/errors.ts'
import type { AuditLog } from '../audit/audit.service.ts'

export const onceWindowMs = 10 * 60_000
const maxKept = 2000
/** Of answers; beyond, the oldest go, and whoever asks for one of those again is told that it is gone. */
const maxKeptBytes = 16 * 1024 * 1024

export interface Answer {
  status: number
  contentType: string
  body: string | Uint8Array
  headers?: Record<string, string> | undefined
}

interface Kept {
  /** A hash: what was asked may be large, and may hold a secret. */
  request: string
  at: number
  answer: Promise<Answer>
  bytes: number
}

/**
 * The same `Idempotency-Key` gets the first answer again, good or bad, and runs nothing. Answers live in memory; the
 * key itself is in the audit log, so that a restart in between does not make a call run twice.
 */
export class Once {
  readonly #kept = new Map<string, Kept>()
  readonly #audit: Pick<AuditLog, 'usedKey'>
  readonly #now: () => number
  #bytes = 0

  /** By default a clock that nobody can set while the agent runs. */
  constructor(audit: Pick<AuditLog, 'usedKey'>, now: () => number = () => performance.now()) {
    this.#audit = audit
    this.#now = now
  }

  /** `work` rejects only where nothing was begun: then it may be tried again with the same key. */
  run(key: string, asked: string, work: () => Promise<Answer>): Promise<Answer> {
    this.#forgetOld()
    const request = hash('sha256', asked)
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      if (kept.request !== request) {
        throw new Problem(
          'conflict',
          'This Idempotency-Key was used for another request. Use a new key for a new request.',
        )
      }
      return kept.answer
    }
    const earlier = this.#audit.usedKey(key, onceWindowMs)
    if (earlier !== undefined) {
      throw new Problem(
        'conflict',
        `This Idempotency-Key was used before, and its answer is no longer kept; nothing was run again. See audit entry ${earlier}.`,
        { auditId: earlier },
      )
    }
    const entry: Kept = { request, at: this.#now(), answer: work(), bytes: 0 }
    this.#kept.set(key, entry)
    entry.answer.then(
      ({ body }) => {
        if (this.#kept.get(key) !== entry) return
        entry.bytes = body.length
        this.#bytes += body.length
        this.#forgetOld()
      },
      () => this.#forget(key, entry),
    )
    return entry.answer
  }

  #forgetOld(): void {
    for (const [key, entry] of this.#kept) {
      const room = this.#kept.size <= maxKept && this.#bytes <= maxKeptBytes
      if (room && this.#now() - entry.at < onceWindowMs) break
      this.#forget(key, entry)
    }
  }

  #forget(key: string, entry: Kept): void {
    if (this.#kept.get(key) !== entry) return
    this.#kept.delete(key)
    this.#bytes -= entry.bytes
  }
}
