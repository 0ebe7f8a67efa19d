import { z } from 'zod'
import { defineCall, defineSocket } from './define.ts'

/** What the services, the browser and the system say. */

const service = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, "api, worker, deploy-server, adspower, system, or a container's name")

export const logLine = z.object({
  /** UTC with nanoseconds; of a stack trace, the time of its last line: a reader resumes behind it. */
  timestamp: z.string(),
  level: z.string().optional(),
  message: z.string(),
  service: z.string(),
  /** Numbers lines of one service and timestamp, so that a reader can resume between two of the same moment. */
  seq: z.number().int().optional(),
  /** Which container wrote it, where a service may have several. */
  container: z.string().optional(),
})
export type LogLine = z.infer<typeof logLine>

export const getLogs = defineCall({
  name: 'logs.get',
  method: 'GET',
  path: '/logs',
  access: 'secret',
  summary: 'The last lines of a service.',
  params: () =>
    z.strictObject({
      service: service.describe("api, worker, deploy-server, adspower, system, or a container's name"),
      lines: z.int().min(1).max(5000).default(200),
      since: z.iso.datetime({ offset: true }).optional(),
      search: z.string().max(500).optional(),
    }),
  result: () => z.object({ lines: z.array(logLine), service: z.string(), truncated: z.boolean() }),
  problems: ['not-found', 'install-required', 'timeout', 'forbidden', 'docker-refused'],
})

export const logsSocket = defineSocket({
  name: 'logs',
  path: '/ws/logs',
  access: 'secret',
  summary: 'Lines as they come, in batches when asked for; resumes after the last line a client saw.',
  params: () => z.strictObject({ service: service.optional() }),
  send: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('subscribe'),
      service,
      /** The last timestamp seen, with `#seq` behind it where the line had one. */
      since: z.string().max(64).optional(),
      batch: z.boolean().optional(),
    }),
    z.strictObject({ type: z.literal('unsubscribe') }),
    z.strictObject({ type: z.literal('ping') }),
  ]),
  receive: () =>
    z.discriminatedUnion('type', [
      /** `dropped` is there when lines before this one were dropped, because the client read too slowly. */
      logLine.extend({ type: z.literal('log'), dropped: z.number().int().optional() }),
      /** `dropped` counts the lines that were dropped between the message before and the first line of this one. */
      z.object({ type: z.literal('logs'), lines: z.array(logLine), dropped: z.number().int() }),
      /** Something about the stream itself: the container was replaced, Docker restarted, lines were dropped. */
      z.object({
        type: z.literal('notice'),
        message: z.string(),
        service: z.string(),
        dropped: z.number().int().optional(),
      }),
      z.object({ type: z.literal('pong') }),
      z.object({ type: z.literal('error'), message: z.string(), code: z.string().optional() }),
    ]),
})
