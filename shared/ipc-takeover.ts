import { z } from 'zod'
import { pastTakeover } from './contract/takeover.ts'

/** The part of the IPC that is about taking control, giving it back, and what one does meanwhile. */

const machineId = z.string().min(1).max(100)
const onClipboard = z.strictObject({ machineId, of: z.enum(['display', 'page']) })
/** By this computer's clock, not the machine's. */
const expires = z.object({ expiresAt: z.string() })

/** Leases stay in main: a window says take and give back, and never sees the lease's id. */
export const takeoverIpc = {
  'takeover.take': {
    params: z.strictObject({ machineId, reason: z.string().max(500) }),
    result: expires,
  },
  /** Accepts a request for help: whoever does has control when this answers. */
  'takeover.accept': {
    params: z.strictObject({ machineId, requestId: z.string().min(1).max(100) }),
    result: expires,
  },
  'takeover.stillHere': {
    params: z.strictObject({
      machineId,
      /** A person said so, where otherwise their work does: the agent is told at once. */
      said: z.boolean().default(false),
    }),
    result: expires,
  },
  'takeover.giveBack': {
    params: z.strictObject({
      machineId,
      outcome: z.string().max(64),
      note: z.string().max(2000),
      handBackTo: z.enum(['none', 'stagehand', 'magnitude']).default('none'),
      mode: z.enum(['dom', 'cua']).optional(),
    }),
    result: z.object({
      /** From the call to an engine that may act; null where it went to none. */
      toActingMs: z.number().nullable(),
    }),
  },
  /** What this operator took over, the newest first, whether its machine is up, down or no longer of this console. */
  'takeover.own': {
    params: z.strictObject({}),
    result: z.object({
      takeovers: z.array(pastTakeover.extend({ machineId: z.string(), machineName: z.string() })),
    }),
  },

  /**
   * This computer's clipboard onto the machine's, or, where there is no display, to the cursor of the page; the text
   * never enters a window.
   */
  'live.paste': { params: onClipboard, result: z.object({ characters: z.int() }) },
  /** The machine's clipboard, or what is selected on the page, onto this computer's. */
  'live.copy': { params: onClipboard, result: z.object({ characters: z.int() }) },
  /** Asks the person where to; null when they changed their mind. */
  'live.saveScreenshot': {
    params: z.strictObject({ machineId, of: z.enum(['display', 'page']) }),
    result: z.object({ file: z.string().nullable(), bytes: z.int() }),
  },
} as const

export const takeoverIpcEvents = {
  /** Of control that this console has: told to one window, and to all that nothing of it is so any more (`settled`). */
  'lease.news': z.object({
    machineId: z.string(),
    name: z.string(),
    news: z.enum(['ending', 'settled', 'ran_out', 'lost']),
    leftMs: z.number(),
  }),
  /** Told to one window: a person is wanted, and this operator chose to hear it. */
  'takeover.tone': z.object({}),
} as const
