import { type AgentEvent, events } from '../../shared/contract/index.ts'
import type { TimelineEntry } from '../../shared/contract/timeline.ts'
import { MemoryBook } from '../../shared/domain/timeline/book.ts'
import { writeAudit } from '../../shared/domain/timeline/from-audit.ts'
import { writeEvent } from '../../shared/domain/timeline/from-event.ts'
import { mergeEntries } from '../../shared/domain/timeline/keep.ts'
import type { Store } from '../store/store.ts'
import type { LastAnswers } from './last-answers.ts'

/** As many as the console keeps of one machine. */
const eventsRead = 2000
const auditRead = 500

/** What is known here of a machine's timeline, without asking it. */
export function knownTimeline(
  machineId: string,
  answers: Pick<LastAnswers, 'get'>,
  store: Pick<Store, 'events' | 'agentAudit'>,
): { at: string | null; entries: TimelineEntry[] } {
  const told = answers.get(machineId, 'timeline.list')
  const audit = answers.get(machineId, 'audit.list')
  const heard = store.events.last(machineId, eventsRead)
  const book = new MemoryBook()
  for (const { seq, at, type, data } of heard.reverse()) {
    const known = events.find((one) => one.type === type)
    // From a disk, and from agents of any age: what does not fit says nothing.
    const read = known?.data.safeParse(data)
    if (read?.success === true) writeEvent(book, { seq, time: at, type, ...read.data } as unknown as AgentEvent)
  }
  const filter = { sources: [machineId], actions: [], results: [], operator: '', text: '' }
  const copied = store.agentAudit
    .query(filter, undefined, auditRead)
    .entries.filter(({ source }) => source === machineId)
  for (const row of copied.reverse()) writeAudit(book, { ...row, createdAt: row.at })
  for (const row of audit?.value.entries.toReversed() ?? []) writeAudit(book, row)
  const times = [told?.at, audit?.at, heard.at(-1)?.at].filter((time) => time !== undefined)
  return { at: times.sort().at(-1) ?? null, entries: mergeEntries(told?.value.entries ?? [], book.list()) }
}
