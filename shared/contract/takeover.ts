import { z } from 'zod'
import { attempt, driverView } from './attempts.ts'
import { defineCall, defineEvent, defineSocket, openEnum } from './define.ts'

/** A person takes the browser, for a limited time, and gives it back. */

/** Fifteen minutes: long enough for a form, short enough that a closed laptop does not hold a browser. */
export const maxLeaseMs = 15 * 60_000

/** What everyone may know of a lease. Its id is the holder's alone. */
export const leaseView = z.object({
  operator: z.string(),
  reason: z.string(),
  takenAt: z.string(),
  expiresAt: z.string(),
})
export type LeaseView = z.infer<typeof leaseView>

const lease = leaseView.extend({ leaseId: z.string() })
export type Lease = z.infer<typeof lease>

/** Someone who looks at the browser now. */
export const watcher = z.object({
  /** As the client named itself; null when it did not. */
  operator: z.string().nullable(),
  since: z.string(),
  /** Whether it asked to act, and not only to look. */
  control: z.boolean(),
})
export type Watcher = z.infer<typeof watcher>

export const getTakeover = defineCall({
  name: 'takeover.get',
  method: 'GET',
  path: '/takeover',
  access: 'secret',
  summary: 'Who has control, and how the screen can be reached.',
  result: () =>
    z.object({
      novncUrl: z.string().nullable(),
      vncPort: z.number().int().nullable(),
      websockifyPort: z.number().int().nullable(),
      activeSession: z.object({ jobId: z.string().nullable(), pageUrl: z.string().nullable() }).nullable(),
      lease: leaseView.nullable(),
      viewers: z.number().int(),
      /** Who they are, the first to come first. */
      watching: z.array(watcher).optional(),
      /** The engine that is connected; null when none is. */
      driver: driverView.nullable().optional(),
      /** How many calls for a person nobody has answered yet. */
      openRequests: z.number().int().optional(),
    }),
})

export const takeLease = defineCall({
  name: 'takeover.take',
  method: 'POST',
  path: '/takeover/lease',
  access: 'secret',
  summary: 'Takes control of the browser. One holder at a time.',
  params: () =>
    z.strictObject({
      operator: z.string().trim().min(1).max(200),
      reason: z.string().max(500).default(''),
      ttlMs: z
        .int()
        .min(1000)
        .max(maxLeaseMs)
        .default(5 * 60_000),
    }),
  result: lease,
  problems: ['lease-held', 'not-active'],
  windows: false,
  audit: 'takeover',
})

export const renewLease = defineCall({
  name: 'takeover.renew',
  method: 'POST',
  path: '/takeover/lease/renew',
  access: 'secret',
  summary: 'Keeps control for another while, as long as the lease was taken for.',
  params: () => z.strictObject({ leaseId: z.string().min(1).max(100) }),
  result: lease,
  windows: false,
  problems: ['lease-gone'],
  audit: 'takeover',
})

export const handBack = defineCall({
  name: 'takeover.handBack',
  method: 'DELETE',
  path: '/takeover/lease',
  access: 'secret',
  summary: 'Gives control back, to an engine once that has proved that it sees the page; else the person keeps it.',
  paramsIn: 'body',
  params: () =>
    z.strictObject({
      leaseId: z.string().min(1).max(100),
      handBackTo: z.enum(['none', 'stagehand', 'magnitude']).default('none'),
      /** Of Stagehand. */
      mode: z.enum(['dom', 'cua']).optional(),
      outcome: z.string().max(64).default('resolved'),
      note: z.string().max(2000).default(''),
    }),
  result: () =>
    z.object({
      ok: z.boolean(),
      handedBackTo: z.string(),
      heldMs: z.number(),
      /** From the call to an engine that may act; null where it went to none. */
      toActingMs: z.number().nullable().optional(),
    }),
  problems: [
    ...(['lease-gone', 'engine-failed', 'install-required', 'browser-died', 'controller-busy'] as const),
    // Of a connect that hangs: its time was up, or someone released the engine by force.
    ...(['timeout', 'conflict'] as const),
  ],
  windows: false,
  audit: 'hand_back',
})

/** A call for help: an engine got stuck, and a person is wanted. */
export const takeoverRequest = z.object({
  id: z.string(),
  state: openEnum(['open', 'accepted', 'declined', 'timed_out', 'done', 'cancelled']),
  reason: z.string(),
  /** What could not be done. */
  instruction: z.string(),
  pageUrl: z.string().nullable(),
  /** The page as a small JPEG, base64; null when it could not be drawn. */
  picture: z.string().nullable(),
  raisedAt: z.string(),
  deadline: z.string(),
  leftMs: z.number(),
  /** Whom it was handed on to. */
  assignedTo: z.string().nullable(),
  operator: z.string().nullable(),
  jobId: z.string().nullable(),
  runId: z.string().nullable(),
  /** Everything that was tried before, in order. */
  tried: z.array(attempt).optional(),
})
export type TakeoverRequest = z.infer<typeof takeoverRequest>

const requestId = z.string().min(1).max(100)

export const listTakeoverRequests = defineCall({
  name: 'takeover.requests',
  method: 'GET',
  path: '/takeover/requests',
  access: 'secret',
  summary: 'Who is wanted: open requests first, then the latest others.',
  result: () => z.object({ requests: z.array(takeoverRequest) }),
})

export const acceptTakeover = defineCall({
  name: 'takeover.accept',
  method: 'POST',
  path: '/takeover/requests/:id/accept',
  access: 'secret',
  summary: 'Accepts a request: whoever does gets the lease.',
  params: () =>
    z.strictObject({
      id: requestId,
      operator: z.string().trim().min(1).max(200),
      ttlMs: z
        .int()
        .min(1000)
        .max(maxLeaseMs)
        .default(5 * 60_000),
    }),
  result: lease,
  windows: false,
  problems: ['not-found', 'conflict', 'lease-held'],
  audit: 'takeover',
})

export const declineTakeover = defineCall({
  name: 'takeover.decline',
  method: 'POST',
  path: '/takeover/requests/:id/decline',
  access: 'secret',
  summary: 'Says that nobody will help: the operation fails at once instead of waiting.',
  params: () => z.strictObject({ id: requestId, reason: z.string().max(500).default('') }),
  result: takeoverRequest,
  problems: ['not-found', 'conflict'],
  audit: 'takeover',
})

export const handOnTakeover = defineCall({
  name: 'takeover.handOn',
  method: 'POST',
  path: '/takeover/requests/:id/handOn',
  access: 'secret',
  summary: 'Asks a certain operator instead; anyone may still accept.',
  params: () => z.strictObject({ id: requestId, to: z.string().trim().min(1).max(200) }),
  result: takeoverRequest,
  problems: ['not-found', 'conflict'],
  audit: 'takeover',
})

/** A takeover that is over, with how long each change of hand took. */
export const pastTakeover = z.object({
  id: z.number().int(),
  /** When it ended. */
  time: z.string(),
  operator: z.string(),
  requestId: z.string().nullable(),
  outcome: z.string(),
  note: z.string(),
  handedBackTo: z.string(),
  heldMs: z.number().nullable(),
  requestToAcceptedMs: z.number().nullable(),
  acceptedToControlMs: z.number().nullable(),
  handBackToActingMs: z.number().nullable(),
})
export type PastTakeover = z.infer<typeof pastTakeover>

export const takeoverHistory = defineCall({
  name: 'takeover.history',
  method: 'GET',
  path: '/takeover/history',
  access: 'secret',
  summary: 'Takeovers that are over, the newest first; of one operator, or of all.',
  params: () =>
    z.strictObject({
      operator: z.string().trim().min(1).max(200).optional(),
      limit: z.int().min(1).max(500).default(50),
    }),
  result: () => z.object({ takeovers: z.array(pastTakeover) }),
})

export const takeoverRequestCalls = [
  listTakeoverRequests,
  acceptTakeover,
  declineTakeover,
  handOnTakeover,
  takeoverHistory,
] as const

export const takeoverEvents = [
  defineEvent(
    'takeover_request',
    z.object({
      change: openEnum(['raised', 'accepted', 'declined', 'handed_on', 'timed_out', 'done', 'cancelled']),
      /** Without its picture, which is asked for with the list. */
      request: takeoverRequest.omit({ picture: true }),
    }),
  ),
  defineEvent(
    'human_takeover',
    z.object({
      change: openEnum(['began', 'ended']),
      /** Of one that ended: the same as in the history, once it stands there. */
      takeoverId: z.number().int().optional(),
      heldMs: z.number().nullable().optional(),
      operator: z.string(),
      requestId: z.string().nullable(),
      outcome: z.string().nullable(),
      note: z.string().nullable(),
      handedBackTo: z.string().nullable(),
      requestToAcceptedMs: z.number().nullable(),
      acceptedToControlMs: z.number().nullable(),
      handBackToActingMs: z.number().nullable(),
    }),
  ),
] as const

export const vnc = defineSocket({
  name: 'vnc',
  path: '/ws/vnc',
  access: 'secret',
  summary:
    'RFB in binary frames, byte for byte. In `view` the agent itself drops pointer, key and clipboard messages. A text frame changes the mode.',
  params: () =>
    z.strictObject({
      mode: z.enum(['control', 'view']).default('view'),
      leaseId: z.string().max(100).optional().describe('Needed for control'),
      clipboard: z.boolean().default(false).describe('Lets the controller paste into the machine; off until asked for'),
    }),
  send: z.strictObject({
    type: z.literal('mode'),
    mode: z.enum(['control', 'view']),
    leaseId: z.string().max(100).optional().describe('Needed for control'),
  }),
  /** The mode that is in force from here on: `view` where control was asked for without the lease. */
  receive: () => z.object({ type: z.literal('mode'), mode: z.enum(['control', 'view']) }),
  binary: true,
  problems: ['not-active', 'not-found', 'lease-gone'],
  // A client message is a few bytes; the largest is a clipboard text.
  maxFrameBytes: 1024 * 1024,
})
