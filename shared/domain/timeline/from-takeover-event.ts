import type { AgentEvent } from '../../contract/index.ts'
import type { TimelineEntry } from '../../contract/timeline.ts'
import { redactPageText } from '../redaction.ts'
import { entry, joined, type TimelineBook } from './book.ts'
import { momentKey } from './from-event.ts'

/** Who asked for a person, who came, and how they gave it back; false when the event is not about that. */
export function writeTakeoverEvent(book: TimelineBook, event: AgentEvent): boolean {
  switch (event.type) {
    case 'takeover_lease':
      writeLease(book, event)
      return true
    case 'takeover_request':
      writeRequest(book, event)
      return true
    case 'human_takeover':
      writeTakeover(book, event)
      return true
    default:
      return false
  }
}

function writeLease(book: TimelineBook, event: Extract<AgentEvent, { type: 'takeover_lease' }>): void {
  const { change, lease, time } = event
  if (change === 'taken' && lease !== null) {
    book.put(
      entry({
        ...{ key: `lease:${lease.takenAt}`, kind: 'takeover', what: 'lease', at: lease.takenAt, tone: 'person' },
        ...{ running: true, who: lease.operator, title: `${lease.operator} has control` },
        detail: redactPageText(lease.reason),
      }),
    )
    return
  }
  const held = book.find({ latest: 'lease', running: true })
  if (change === 'renewed' || held === undefined) return
  const ends: Record<string, { words: string; tone: TimelineEntry['tone'] }> = {
    handed_back: { words: 'Given back.', tone: 'person' },
    expired: { words: 'It ran out.', tone: 'expired' },
    ended: { words: 'The browser ended under it.', tone: 'broken' },
  }
  const end = ends[change] ?? { words: `It ended: ${change}.`, tone: 'person' }
  const title = `${held.who ?? 'Someone'} had control`
  book.amend(held, { running: false, until: time, title, tone: end.tone, detail: joined(held.detail, end.words) })
}

const requestEnds: Record<string, { words: string; tone: TimelineEntry['tone'] }> = {
  accepted: { words: 'accepted', tone: 'person' },
  declined: { words: 'declined', tone: 'broken' },
  timed_out: { words: 'not answered in time', tone: 'expired' },
  cancelled: { words: 'cancelled', tone: 'off' },
}

function writeRequest(book: TimelineBook, event: Extract<AgentEvent, { type: 'takeover_request' }>): void {
  const { change, request, time } = event
  const key = `request:${request.id}`
  const known =
    book.find({ key }) ??
    entry({
      ...{ key, kind: 'takeover', what: 'request', at: request.raisedAt, tone: 'person', running: true },
      title: 'A person is wanted',
      detail: redactPageText(`${request.reason}\n${request.instruction}`, 1000),
      source: { type: 'request', id: request.id },
    })
  const end = requestEnds[change]
  if (end === undefined) return book.put(change === 'done' ? { ...known, running: false } : known)
  const title = `A person was wanted: ${end.words}`
  book.put({ ...known, running: false, until: time, tone: end.tone, title, who: request.operator ?? known.who })
}

/** The times of each change of hand stand with the lease; giving back is a moment of its own. */
function writeTakeover(book: TimelineBook, event: Extract<AgentEvent, { type: 'human_takeover' }>): void {
  const ms = (words: string, value: number | null) => (value === null ? '' : `${words} ${Math.round(value)} ms.`)
  if (event.change === 'began') {
    const lease = book.find({ latest: 'lease' })
    const times = [
      ms('Request to accepted', event.requestToAcceptedMs),
      ms('Accepted to in control', event.acceptedToControlMs),
    ]
    if (lease !== undefined) book.amend(lease, { detail: joined(lease.detail, times.filter(Boolean).join(' ')) })
    return
  }
  const to = event.handedBackTo === null || event.handedBackTo === 'none' ? 'nobody' : event.handedBackTo
  book.put(
    entry({
      ...{ key: momentKey('handed-back', event), kind: 'takeover', what: 'handed-back', at: event.time },
      ...{ tone: 'person', who: event.operator, title: `${event.operator} gave control back to ${to}` },
      detail: [
        event.outcome === null ? '' : `Outcome: ${event.outcome}.`,
        redactPageText(event.note ?? ''),
        ms('Hand-back to acting', event.handBackToActingMs),
      ]
        .filter(Boolean)
        .join(' '),
    }),
  )
}
