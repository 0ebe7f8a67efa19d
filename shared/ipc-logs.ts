import { z } from 'zod'
import { logLine } from './contract/logs.ts'

/** The part of the IPC that is about logs: what was looked at before, and saving what is in view. */

const machineId = z.string().min(1).max(100)
const service = z.string().min(1).max(128)
const saveId = z.uuid()

export const logsCalls = {
  /** Services whose lines were looked at and are kept, newest first. */
  'logs.keptServices': {
    params: z.strictObject({ machineId }),
    result: z.array(z.object({ service: z.string(), savedAt: z.string(), lines: z.number().int() })),
  },
  /** The last lines that were looked at; none when there never were any. */
  'logs.kept': {
    params: z.strictObject({ machineId, service }),
    result: z.object({ savedAt: z.string().nullable(), lines: z.array(logLine) }),
  },
  /** Asks the person where to; null when they changed their mind. The text follows in parts. */
  'logs.saveBegin': {
    params: z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/),
      machineIds: z.array(machineId).max(1000),
    }),
    result: z.object({ saveId: z.string().nullable() }),
  },
  'logs.saveAppend': {
    params: z.strictObject({ saveId, text: z.string().max(4 * 1024 * 1024) }),
    result: z.object({}),
  },
  /** Puts the file in its place, or removes what was written of it. */
  'logs.saveEnd': {
    params: z.strictObject({ saveId, keep: z.boolean() }),
    result: z.object({ file: z.string(), bytes: z.number().int() }),
  },
} as const
