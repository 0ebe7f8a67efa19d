import type { AuditEntry } from '../../shared/contract/audit.ts'
import type { Intent, Outcome } from './audit.service.ts'

/** An intent with its result beside it, as they stand in the table. */
export interface EntryRow {
  seq: number
  time: string
  action: string | null
  operator: string | null
  intent: string
  outcome: string | null
  hash: string
}

/** What people read as one entry. One that nobody can read, because someone spoilt it, hides none of the others. */
export function toEntry(row: EntryRow): AuditEntry {
  const intent = parsed<Intent>(row.intent)
  const outcome = row.outcome === null ? undefined : parsed<Outcome>(row.outcome)
  const isSpoilt = intent === null || outcome === null
  return {
    id: row.seq,
    createdAt: row.time,
    action: intent?.action ?? row.action ?? '',
    operator: intent?.operator ?? row.operator,
    peer: intent?.peer ?? '',
    requestId: intent?.requestId ?? '',
    details: { ...intent?.details, ...outcome?.details },
    result: isSpoilt ? 'unknown' : (outcome?.result ?? 'pending'),
    errorMessage: isSpoilt
      ? 'This entry was changed after it was written, and cannot be read. GET /audit/verify names the first such.'
      : (outcome?.errorMessage ?? null),
    durationMs: outcome?.durationMs ?? null,
    hash: row.hash,
  }
}

/** Null where that is not what the agent writes. */
function parsed<Written extends object>(text: string): Written | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Written | null) : null
  } catch {
    return null
  }
}
