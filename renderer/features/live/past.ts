import type { TimelineEntry } from '../../../shared/contract/timeline.ts'
import type { Tone } from '../../ui/tone.ts'
import { describeEvent } from './describeEvent.ts'
import type { SeenEvent } from './timeline.store.ts'

/** One line of what happened, whoever told of it. */
export interface Told {
  key: string
  at: string
  tone: Tone
  title: string
  detail: string
}

/** What of the machine's own record is told beside the picture; the rest has its place in the timeline. */
export const toldKinds = 'engine,takeover,browser,deploys,machine'
const toldOfBrowser: ReadonlySet<string> = new Set([
  ...['browser', 'browser-mended', 'browser-failed', 'desktop', 'desktop-failed'],
])
const atMost = 200

/**
 * What was heard since this window listens, and before that what the machine itself kept: one begins where the other
 * ends, so that nothing is told twice. The newest first.
 */
export function whatHappened(
  events: readonly SeenEvent[],
  past: readonly TimelineEntry[],
  operator: string,
  listensSince: string,
): Told[] {
  const first = events.reduce((oldest, { time }) => (time < oldest ? time : oldest), listensSince)
  const heard = events.flatMap((event): Told[] => {
    const happening = describeEvent(event, operator)
    return happening === null ? [] : [{ key: `event:${event.seq}`, at: event.time, ...happening }]
  })
  const told = new Set(events.map(leaseOf))
  const kept = past
    .filter(
      (entry) =>
        entry.at < first && !told.has(entry.key) && (entry.kind !== 'browser' || toldOfBrowser.has(entry.what)),
    )
    .map(({ key, at, tone, title, detail }): Told => ({ key, at, tone: tone as Tone, title, detail }))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
  return [...heard, ...kept].slice(0, atMost)
}

/** The machine's record has control from when it was taken, which is a moment before it says so. */
function leaseOf(event: SeenEvent): string | undefined {
  if (event.type !== 'takeover_lease' || event['change'] !== 'taken') return undefined
  const { takenAt } = (event['lease'] ?? {}) as { takenAt?: string }
  return takenAt === undefined ? undefined : `lease:${takenAt}`
}
