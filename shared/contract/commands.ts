import { z } from 'zod'
import { defineCall, defineSocket } from './define.ts'

/** Commands without a shell, and terminals with one. */

const command = z.string().trim().min(1).max(2000)
/** Older agents do not say. */
const endedBy = z.string().nullable().optional().describe('The signal that ended it, where exitCode is null')
const timeoutMs = z.int().min(1000).max(300_000).default(30_000)

export const exec = defineCall({
  name: 'exec.run',
  method: 'POST',
  path: '/exec',
  access: 'secret',
  summary: 'Runs a command, split into arguments and spawned without a shell.',
  params: () => z.strictObject({ command, timeout_ms: timeoutMs }),
  result: () =>
    z.object({
      exitCode: z.number().int().nullable(),
      signal: endedBy,
      stdout: z.string(),
      stderr: z.string(),
      elapsedMs: z.number(),
      truncated: z.boolean(),
      timedOut: z.boolean(),
    }),
  problems: ['too-many-requests', 'forbidden', 'bad-request', 'not-found'],
  audit: 'exec',
})

export const execSocket = defineSocket({
  name: 'exec',
  path: '/ws/exec',
  access: 'secret',
  summary: 'The same, streamed.',
  params: () => z.strictObject({ command, timeout_ms: timeoutMs }),
  send: z.strictObject({ type: z.literal('cancel') }),
  receive: () =>
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('stdout'), data: z.string() }),
      z.object({ type: z.literal('stderr'), data: z.string() }),
      z.object({
        type: z.literal('exit'),
        exitCode: z.number().int().nullable(),
        signal: endedBy,
        timedOut: z.boolean(),
        truncated: z.boolean(),
      }),
      z.object({ type: z.literal('error'), message: z.string() }),
    ]),
  problems: ['too-many-requests', 'forbidden', 'bad-request', 'not-found'],
  audit: 'exec',
})

export const terminalSocket = defineSocket({
  name: 'terminal',
  path: '/ws/terminal',
  access: 'secret',
  summary: 'A login shell on a pseudo-terminal. Survives a dropped connection for 60 s; reattach by id.',
  params: () =>
    z.strictObject({
      cols: z.int().min(1).max(1000).default(80),
      rows: z.int().min(1).max(1000).default(24),
      cwd: z.string().max(4096).optional(),
      id: z.string().max(64).optional().describe('Reattaches to this terminal instead of opening one'),
      received: z.int().min(0).optional().describe('Bytes of its output seen so far: only what follows is sent again'),
    }),
  send: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('resize'), cols: z.int().min(1).max(1000), rows: z.int().min(1).max(1000) }),
    z.strictObject({
      type: z.literal('signal'),
      signal: z.enum(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL', 'SIGTSTP', 'SIGCONT']),
    }),
    /**
     * Bytes the client has taken in since its last acknowledgement; at least one every 128 KiB. The agent stops
     * reading the terminal when too many are under way. A client that never sends one is held back by the network alone.
     */
    z.strictObject({ type: z.literal('ack'), bytes: z.int().min(0) }),
    z.strictObject({ type: z.literal('close') }),
  ]),
  receive: () =>
    z.discriminatedUnion('type', [
      z.object({
        type: z.literal('ready'),
        id: z.string(),
        reattached: z.boolean(),
        recorded: z.boolean(),
        /** Where in the terminal's output the next byte stands. Not where the client was: it clears its screen first. */
        position: z.number().int(),
        /** Where it ends by now: what stands before this was shown to earlier clients, which answered its questions. */
        end: z.number().int().optional(),
      }),
      /** Another client attached; this one is closed. */
      z.object({ type: z.literal('taken_over'), operator: z.string().nullable() }),
      z.object({ type: z.literal('exit'), exitCode: z.number().int().nullable(), signal: z.string().nullable() }),
      z.object({ type: z.literal('error'), message: z.string() }),
    ]),
  binary: true,
  maxFrameBytes: 256 * 1024,
  problems: ['not-found', 'too-many-requests', 'install-required', 'forbidden', 'conflict'],
  audit: 'terminal_open',
})
