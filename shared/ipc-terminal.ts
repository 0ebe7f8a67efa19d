import { z } from 'zod'

/** The part of the IPC that is about terminals: a shell over SSH, and links that stand in what a machine writes. */

/** An address that may be handed to the operating system: the web's, and nothing that hides where it leads. */
export const linkSchema = z
  .string()
  .max(4096)
  .refine(isWebLink, 'must be an http or https address without a user name in it')

export function isWebLink(text: string): boolean {
  // The parser would drop these, and what is opened would not be what was shown.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '' && hostname !== ''
}

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
  /** Opens an address in the browser of this computer, after the person has seen where it leads. */
  'app.openLink': { params: z.strictObject({ url: linkSchema }), result: z.object({}) },
} as const
