import type { AuditEntry } from '../../shared/contract/audit.ts'
import { Problem } from '../../shared/errors.ts'
import type { KeptSource } from '../store/agent-audit.ts'
import type { Store } from '../store/store.ts'

export interface OlderWish {
  agentAudit: Pick<Store['agentAudit'], 'oldest' | 'add' | 'note'>
  source: KeptSource
  /** How far back it has to go. */
  reach: string
  ask: (to: string, page: number) => Promise<{ entries: AuditEntry[] }>
}

export const pageSize = 500
/** Older pages that one question may fetch from one machine. */
const olderPages = 3
/** Pages of one and the same moment: 20 000 entries within a thousandth of a second are not a record. */
const samePages = 40

/** Adds to a copy what its agent recorded before, some pages at a time. */
export async function fetchOlder({ agentAudit, source, reach, ask }: OlderWish): Promise<void> {
  const { machineId, agentId } = source
  for (let count = 0; count < olderPages; count++) {
    const lowest = agentAudit.oldest(machineId, agentId)
    if (lowest === undefined || lowest.at < reach) return
    const { older, last } = await olderThan(lowest, ask)
    agentAudit.add(machineId, agentId, older)
    if (last) return agentAudit.note({ ...source, complete: true })
  }
}

/** Entries of the same moment come again, and are known; a page of nothing but those asks for the next one. */
async function olderThan(
  lowest: { at: string; id: number },
  ask: OlderWish['ask'],
): Promise<{ older: AuditEntry[]; last: boolean }> {
  let least = Number.POSITIVE_INFINITY
  for (let page = 1; page <= samePages; page++) {
    const { entries } = await ask(lowest.at, page)
    const last = entries.length < pageSize
    const found = Math.min(least, ...entries.map(({ id }) => id))
    const isNewer = entries.some(({ createdAt }) => createdAt > lowest.at)
    // An agent that gives the same page again and again would be asked for ever.
    if (isNewer || (!last && found === least)) break
    least = found
    const older = entries.filter(({ id }) => id < lowest.id)
    if (older.length > 0 || last) return { older, last }
  }
  throw new Problem('bad-answer', 'The agent gave entries again that it had given before, in place of older ones.')
}
