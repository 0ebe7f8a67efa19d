import { z } from 'zod'
import { defineCall, defineEvent, openEnum, raw } from './define.ts'

/** Everything that happened on a machine, on one clock: what is opened first after a page at night. */

export const timelineKinds = [
  'engine',
  'takeover',
  'browser',
  'page',
  'network',
  'deploys',
  'commands',
  'workers',
  'recording',
  'machine',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

export const timelineEntry = z.object({
  /** Made of its source, so that the same thing heard of twice is one entry. */
  key: z.string(),
  kind: openEnum(timelineKinds),
  /** Finer than the kind: `lease`, `operation`, `console-error`… */
  what: z.string(),
  at: z.string(),
  /** When it was over; null for a moment, and for what still goes on. */
  until: z.string().nullable(),
  running: z.boolean(),
  /** Who was in control, or what is wrong, as everywhere. */
  tone: openEnum(['engine', 'person', 'up', 'unknown', 'broken', 'expired', 'off']),
  title: z.string(),
  detail: z.string(),
  who: z.string().nullable(),
  /** How often it happened, where repetitions are counted instead of kept. */
  count: z.number().int(),
  /** Where more is known of it; null where there is no more. */
  source: z.object({ type: openEnum(['audit', 'deploy', 'recording', 'request', 'job']), id: z.string() }).nullable(),
  /** A picture of the page at that moment, for `timeline.picture`. */
  picture: z.string().nullable(),
})
export type TimelineEntry = z.infer<typeof timelineEntry>

const kindList = z
  .string()
  .max(200)
  .regex(/^[a-z]+(,[a-z]+)*$/, 'kinds, separated by commas')

export const listTimeline = defineCall({
  name: 'timeline.list',
  method: 'GET',
  path: '/timeline',
  access: 'secret',
  summary: 'What happened on this machine, newest first, kept across restarts.',
  params: () =>
    z.strictObject({
      from: z.iso.datetime({ offset: true }).optional().describe('Leaves out what was over before'),
      to: z.iso.datetime({ offset: true }).optional().describe('Leaves out what began later'),
      kinds: kindList.optional().describe('Only these, separated by commas'),
      limit: z.int().min(1).max(5000).default(1000),
      changedAfter: z.int().min(0).optional().describe('Only what came or changed after this revision'),
    }),
  result: () =>
    z.object({
      entries: z.array(timelineEntry),
      /** Of everything that is kept; `changedAfter` it brings what came since. */
      revision: z.number().int(),
      /** Whether there is more of it, older than the last entry. */
      more: z.boolean(),
      /** The clock of the machine: a console whose clock differs still draws now where it is. */
      now: z.iso.datetime({ offset: true }),
    }),
})

export const timelinePicture = defineCall({
  name: 'timeline.picture',
  method: 'GET',
  path: '/timeline/pictures/:id',
  access: 'secret',
  summary: 'The page as it was at a key moment. The oldest pictures make room for new ones.',
  params: () => z.strictObject({ id: z.string().regex(/^[a-z0-9-]{1,40}$/, 'not the id of a picture') }),
  result: raw('image/jpeg'),
  problems: ['not-found'],
})

export const timelineCalls = [listTimeline, timelinePicture] as const

const trouble = {
  /** The same for the first one and for the counts that follow. */
  troubleId: z.string(),
  firstAt: z.string(),
  /** How often so far. */
  count: z.number().int(),
}

export const timelineEvents = [
  /** A page wrote an error, threw one, or crashed. Repetitions are counted, and a flood is summed up as `rest`. */
  defineEvent(
    'page_error',
    z.object({
      ...trouble,
      source: openEnum(['console', 'crash', 'rest']),
      text: z.string(),
      url: z.string().nullable(),
      line: z.number().int().nullable(),
    }),
  ),
  defineEvent(
    'request_failed',
    z.object({
      ...trouble,
      source: openEnum(['request', 'rest']),
      method: z.string(),
      url: z.string(),
      status: z.number().int().nullable(),
      error: z.string().nullable(),
    }),
  ),
  /** A picture was taken of a moment of the timeline. */
  defineEvent('moment_pictured', z.object({ key: z.string(), picture: z.string() })),
] as const
