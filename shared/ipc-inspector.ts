import { z } from 'zod'

/** The part of the IPC that the Inspector needs beyond the agent's own calls. */

const machineId = z.string().min(1).max(100)
const recordingId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/)
/** Null when the person changed their mind. */
const saved = z.object({ file: z.string().nullable(), bytes: z.int() })

/** What of a page can be kept as a file, and how the file's name ends. */
export const captureKinds = ['png', 'jpg', 'webp', 'pdf', 'html', 'md', 'txt', 'json'] as const
export type CaptureKind = (typeof captureKinds)[number]

export const inspectorCalls = {
  /** Chromium's own front end for a page, in a window that has nothing of this one. */
  'devtools.open': {
    params: z.strictObject({
      machineId,
      /** The page in front where none is named. */
      targetId: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/)
        .optional(),
    }),
    result: z.object({ role: z.enum(['controller', 'observer']) }),
  },
  /** Keeps what the window shows, where the person says. */
  'capture.save': {
    params: z.strictObject({
      machineId,
      kind: z.enum(captureKinds),
      content: z.union([
        z.string().max(32 * 1024 * 1024),
        z.custom<Uint8Array>((value) => value instanceof Uint8Array),
      ]),
    }),
    result: saved,
  },
  /** An address from which this window alone can play the recording, as long as its page is there. */
  'recording.play': {
    params: z.strictObject({ machineId, recordingId }),
    result: z.object({ url: z.string() }),
  },
  'recording.save': { params: z.strictObject({ machineId, recordingId }), result: saved },
} as const
