import { z } from 'zod'

/** The part of the IPC that is about windows: one of its own for a machine, and being sent somewhere. */

const machineId = z.string().min(1).max(100)

export const windowCalls = {
  /** A machine in a window of its own. */
  'window.open': {
    params: z.strictObject({ machineId, tab: z.string().regex(/^[a-z-]{1,40}$/) }),
    result: z.object({}),
  },
  /** Whether the system shows notifications at all. */
  'notifications.state': {
    params: z.strictObject({}),
    result: z.object({ supported: z.boolean(), detail: z.string() }),
  },
  /** One notification, to see and hear what they are like, and what the system said to it. */
  'notifications.test': {
    params: z.strictObject({}),
    result: z.object({ shown: z.boolean(), answer: z.enum(['shown', 'failed', 'silent']), detail: z.string() }),
  },
} as const

export const windowEvents = {
  /** How many streams run between machines and the windows of this console. */
  'streams.open': z.object({ open: z.number().int() }),
  /** Told to one window: a notification was pressed, or the menu. A hash, as the window's own address has it. */
  'window.go': z.object({ place: z.string().max(400) }),
} as const
