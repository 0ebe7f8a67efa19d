import { Problem } from '../../shared/errors.ts'
import type { AuditLog } from '../audit/audit.service.ts'

export const onceWindowMs = 10 * 60_000
const maxKept = 2000

export interface Answer {
  status: number
  contentType: string
  body: string | Uint8Array
}

/**
 * The same `Idempotency-Key` gets the first answer again and runs nothing. Answers live in memory; the
 * key itself is in the audit log, so that a restart in between does not make a call run twice.
 */
export class Once {
  readonly #kept = new Map<string, { request: string; at: number; answer: Promise<Answer> }>()
  readonly #audit: AuditLog
  readonly #now: () => number

  constructor(audit: AuditLog, now: () => number = Date.now) {
    this.#audit = audit
    this.#now = now
  }

  run(key: string, request: string, work: () => Promise<Answer>): Promise<Answer> {
    this.#forgetOld()
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
        `This Idempotency-Key was used before the agent restarted and its answer is gone; nothing was run again. See audit entry ${earlier}.`,
        { auditId: earlier },
      )
    }
    const answer = work()
    this.#kept.set(key, { request, at: this.#now(), answer })
    // A failure before anything ran (a bad body, a full disk) may be tried again with the same key.
    answer.catch(() => this.#kept.delete(key))
    return answer
  }

  #forgetOld(): void {
    for (const [key, { at }] of this.#kept) {
      if (this.#kept.size <= maxKept && this.#now() - at < onceWindowMs) break
      this.#kept.delete(key)
    }
  }
}
