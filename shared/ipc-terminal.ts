import { z } from 'zod'
import { isWebLink } from './web-link.ts'

/** The part of the IPC that is about terminals: a shell over SSH, and links that stand in what a machine writes. */

/** An address that may be handed to the operating system: the web's, and nothing that hides where it leads. */
export const linkSchema = z
  .string()
  .max(4096)
  .refine(isWebLink, 'must be an http or https address without a user name in it')

export const terminalCalls = {
  /** A shell over the machine's own SSH connection, for when its agent is down. The port comes as with `stream.open`. */
  'terminal.openSsh': {
    params: z.strictObject({
      machineId: z.string().min(1).max(100),
      cols: z.int().min(1).max(1000),
      rows: z.int().min(1).max(1000),
    }),
    result: z.object({ streamId: z.string() }),
  },
  /** A window has noted which shells it holds: that is to be on the disk now, should the console be killed. */
  'terminal.noted': { params: z.strictObject({}), result: z.object({}) },
  /** Opens an address in the browser of this computer, after the person has seen where it leads. */
  'app.openLink': { params: z.strictObject({ url: linkSchema }), result: z.object({}) },
} as const
