import { z } from 'zod'

/** The part of the IPC that is about the last picture of each machine, which outlives its window. */

const machineId = z.string().min(1).max(100)
/** A picture of 1280 by 800 takes a tenth of that. */
const maxBytes = 2 * 1024 * 1024

const jpeg = z.custom<Uint8Array>(
  (value) => value instanceof Uint8Array && value.length <= maxBytes && value[0] === 0xff && value[1] === 0xd8,
  'is no JPEG of at most 2 MB',
)

export const keptPicture = z.object({
  /** When it was live, in ms. */
  at: z.int().nonnegative(),
  jpeg,
})
export type KeptPicture = z.infer<typeof keptPicture>

export const pictureCalls = {
  /** What a window showed of a machine last. Nothing is kept without a keychain. */
  'pictures.keep': {
    params: z.strictObject({ machineId, ...keptPicture.shape }),
    result: z.object({}),
  },
  'pictures.last': {
    params: z.strictObject({ machineId }),
    result: z.object({ picture: keptPicture.nullable() }),
  },
  /** Answers `pictures.wanted`: this window has handed over all that it shows. */
  'pictures.given': { params: z.strictObject({}), result: z.object({}) },
} as const

export const pictureEvents = {
  /** The console ends: what is shown now is what is seen next time. */
  'pictures.wanted': z.object({}),
  /** A person cleared them, or the key they were kept with: no window shows one of before. */
  'pictures.cleared': z.object({}),
} as const
