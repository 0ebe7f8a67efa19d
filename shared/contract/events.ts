import { z } from 'zod'
import { browserStates } from './browser.ts'
import { defineEvent, defineSocket, openEnum } from './define.ts'
import { deployEvents } from './deploys.ts'
import { desktopEvents } from './desktop.ts'
import { engineEvents } from './engines.ts'
import { jobEvents } from './jobs.ts'
import { healthNews, metricsResult } from './machine.ts'
import { leaseView, takeoverEvents, watcher } from './takeover.ts'
import { timelineEvents } from './timeline.ts'
import { workerEvents } from './workers.ts'

/** Everything that changes on a machine, as it happens and, with `since`, as it happened. */

export const events = [
  defineEvent('agent_started', z.object({ agentVersion: z.string() })),
  defineEvent('agent_stopping', z.object({ reason: z.string() })),
  defineEvent('health', healthNews),
  defineEvent(
    'browser_state',
    z.object({ state: openEnum(browserStates), url: z.string().nullable(), reason: z.string() }),
  ),
  defineEvent('sandbox_active', z.object({ sandboxId: z.string() })),
  defineEvent('sandbox_terminated', z.object({ sandboxId: z.string(), reason: z.string() })),
  defineEvent(
    'takeover_lease',
    z.object({
      /** `ended`: the browser went away under its holder. */
      change: openEnum(['taken', 'renewed', 'handed_back', 'expired', 'ended']),
      /** The lease as it stands after the change; null when nobody has control. */
      lease: leaseView.nullable(),
    }),
  ),
  /** A tab shows another address, has another title, or came to the front. */
  defineEvent(
    'page_navigated',
    z.object({ tabId: z.string(), url: z.string(), title: z.string(), active: z.boolean() }),
  ),
  defineEvent('viewers', z.object({ count: z.number().int(), watching: z.array(watcher).optional() })),
  ...desktopEvents,
  ...deployEvents,
  ...workerEvents,
  ...engineEvents,
  ...takeoverEvents,
  ...jobEvents,
  ...timelineEvents,
] as const

export const eventEnvelope = z.looseObject({
  seq: z.number().int(),
  time: z.string(),
  type: z.string(),
})

export const eventsSocket = defineSocket({
  name: 'events',
  path: '/ws/events',
  access: 'secret',
  summary: 'Events with sequence numbers that survive a restart of the agent.',
  params: () =>
    z.strictObject({
      since: z.int().min(0).optional().describe('Replays every event after this sequence number first'),
    }),
  send: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ping') }),
    /**
     * Load, this often, at the full multiples of the clock: a console with a thousand machines then wakes once for
     * all of them. 0 ends it.
     */
    z.strictObject({ type: z.literal('metrics'), everyMs: z.union([z.literal(0), z.int().min(1000).max(300_000)]) }),
  ]),
  receive: () =>
    z.union([
      z.object({
        type: z.literal('hello'),
        seq: z.number().int(),
        oldestSeq: z.number().int(),
        agentId: z.string(),
        agentVersion: z.string(),
        /** True when events after `since` are no longer kept: the client has missed some and must look afresh. */
        gap: z.boolean(),
        /** What the machine's clock shows: how old a replayed event is can be told by it, and by no other clock. */
        time: z.string().optional(),
      }),
      z.object({ type: z.literal('pong') }),
      z.object({ type: z.literal('metrics'), time: z.string(), metrics: metricsResult }),
      eventEnvelope,
    ]),
})

/** Any event, of a known or a newer type, as it passes on to a window. */
export const agentEventSchema = eventEnvelope
