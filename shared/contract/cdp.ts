import { z } from 'zod'
import { defineCall, defineSocket, openEnum } from './define.ts'

/** Chromium's own protocol, through the agent: for Playwright, Puppeteer and whatever else speaks it. */

const cdpRoles = ['controller', 'observer'] as const

const attach = {
  role: z.enum(cdpRoles).default('controller').describe('One controller at a time; observers can only read'),
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('What the next one who wants control is told; X-Operator otherwise'),
  leaseId: z
    .string()
    .max(100)
    .optional()
    .describe('Whoever has the browser controls it beside the controller that has to wait, as long as the lease lasts'),
}

/** Chromium's own format, which it may extend: passed on, not checked. */
const cdpMessage = z.looseObject({})

const attaching = ['not-active', 'controller-busy', 'lease-gone', 'too-many-requests', 'cdp-error'] as const

export const cdp = defineSocket({
  name: 'cdp',
  path: '/v1/browser/cdp',
  access: 'secret',
  summary: "Chromium's browser endpoint. A second controller gets 409 and the name of the first.",
  params: () => z.strictObject(attach),
  send: cdpMessage,
  receive: cdpMessage,
  proxied: true,
  problems: attaching,
  windows: false,
  audit: 'cdp_attach',
})

export const cdpPage = defineSocket({
  name: 'cdpPage',
  path: '/v1/browser/cdp/devtools/page/:targetId',
  access: 'secret',
  summary: 'One page, at the address that json/list gives for it.',
  params: () => z.strictObject({ ...attach, targetId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/) }),
  send: cdpMessage,
  receive: cdpMessage,
  proxied: true,
  problems: [...attaching, 'not-found'],
  audit: 'cdp_attach',
})

export const cdpVersion = defineCall({
  name: 'cdp.version',
  method: 'GET',
  path: '/v1/browser/cdp/json/version',
  access: 'secret',
  summary: 'As Chromium answers it, with an address that leads through the agent.',
  result: () => z.looseObject({ Browser: z.string(), webSocketDebuggerUrl: z.string() }),
  problems: ['not-active', 'cdp-error'],
})

export const cdpList = defineCall({
  name: 'cdp.list',
  method: 'GET',
  path: '/v1/browser/cdp/json/list',
  access: 'secret',
  summary: "Chromium's targets, with addresses that lead through the agent.",
  result: () => z.array(z.looseObject({ id: z.string(), type: z.string(), url: z.string(), title: z.string() })),
  problems: ['not-active', 'cdp-error'],
})

export const cdpClient = z.object({
  id: z.string(),
  role: openEnum(cdpRoles),
  name: z.string(),
  peer: z.string(),
  connectedAt: z.string(),
  /** The page it is connected to; null for the whole browser. */
  targetId: z.string().nullable(),
  /** Commands that were answered with an error instead of being passed on. */
  refused: z.number().int(),
})
export type CdpClient = z.infer<typeof cdpClient>

export const listCdpClients = defineCall({
  name: 'cdp.clients',
  method: 'GET',
  path: '/v1/browser/cdp/clients',
  access: 'secret',
  summary: 'Who is connected to the browser through the agent.',
  result: () => z.object({ clients: z.array(cdpClient) }),
})

export const cutCdpClient = defineCall({
  name: 'cdp.cut',
  method: 'DELETE',
  path: '/v1/browser/cdp/clients/:id',
  access: 'secret',
  summary: 'Asks a client to leave (it gets an Inspector.detached event) and cuts it when it has not left in time.',
  params: () =>
    z.strictObject({
      id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
      graceMs: z.int().min(0).max(60_000).default(0),
    }),
  result: () => z.object({ ok: z.boolean() }),
  problems: ['not-found'],
  audit: 'cdp_attach',
})
