import { z } from 'zod'
import { defineCall, openEnum } from './define.ts'

/** What happens on the pages: kept for those who ask later, told to those who watch. */

export const consoleMessage = z.object({
  level: openEnum(['log', 'warn', 'error', 'info', 'debug']),
  text: z.string(),
  url: z.string().nullable(),
  line: z.number().int().nullable(),
  timestamp: z.string(),
})

export const consoleMessages = defineCall({
  name: 'browser.console',
  method: 'GET',
  path: '/v1/browser/console',
  access: 'secret',
  summary: 'The last console messages, over navigations and tabs.',
  params: () =>
    z.strictObject({
      level: z.enum(['log', 'warn', 'error', 'info', 'debug']).optional(),
      limit: z.int().min(1).max(1000).default(100),
    }),
  result: () => z.object({ messages: z.array(consoleMessage) }),
  problems: ['not-active'],
})

export const networkRequest = z.object({
  /** Chromium's own, the same for whoever listens; the hops of a redirect share it. Agents of before do not tell it. */
  requestId: z.string().optional(),
  /** What the page asked for, in Chromium's word: Document, Fetch, WebSocket… Agents of before do not tell it. */
  resourceType: z.string().optional(),
  url: z.string(),
  method: z.string(),
  status: z.number().int().nullable(),
  mimeType: z.string().nullable(),
  /** Bytes on the wire, headers included; 0 from the cache. Null while it is under way. */
  responseSize: z.number().nullable(),
  /** Milliseconds, counted as DevTools does. */
  duration: z.number().nullable(),
  timestamp: z.string(),
  /** Why it failed; null when it did not. */
  failed: z.string().nullable(),
})

export const networkRequests = defineCall({
  name: 'browser.network',
  method: 'GET',
  path: '/v1/browser/network',
  access: 'secret',
  summary: 'The last requests of the pages.',
  params: () =>
    z.strictObject({
      limit: z.int().min(1).max(1000).default(100),
      urlPattern: z.string().max(500).optional().describe('RE2 syntax'),
    }),
  result: () => z.object({ requests: z.array(networkRequest) }),
  problems: ['not-active', 'invalid-pattern'],
})

const tabOf = { tabId: z.string() }

/** What a page asks the person in front of it: it does nothing else until that is answered. */
export const pageDialog = z.object({
  type: z.string(),
  message: z.string(),
  defaultPrompt: z.string(),
  url: z.string(),
})

/** A file field that was clicked where nobody could see its dialog: it waits for `POST /v1/browser/upload`. */
export const fileChooser = z.object({ multiple: z.boolean() })

/** What happens on the pages, as `/v1/browser/watch` tells it. */
export const pageEvent = z.discriminatedUnion('type', [
  consoleMessage.extend({ type: z.literal('console') }),
  networkRequest.extend({ type: z.literal('network') }),
  z.object({ type: z.literal('navigation'), ...tabOf, url: z.string(), title: z.string(), active: z.boolean() }),
  z.object({
    type: z.literal('dialog'),
    ...tabOf,
    /** Null when the dialog has been answered. */
    dialog: pageDialog.nullable(),
  }),
  z.object({
    type: z.literal('file-chooser'),
    ...tabOf,
    /** Null when it has its file, or waits no longer. */
    chooser: fileChooser.nullable(),
  }),
  z.object({
    type: z.literal('download'),
    id: z.string(),
    url: z.string(),
    filename: z.string(),
    state: openEnum(['started', 'completed', 'cancelled']),
    receivedBytes: z.number(),
    /** Where it lies on the machine, once it is whole. Agents of before do not tell it. */
    path: z.string().nullable().optional(),
  }),
  z.object({ type: z.literal('crash'), ...tabOf, url: z.string() }),
])
export type PageEvent = z.infer<typeof pageEvent>
