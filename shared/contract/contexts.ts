import { z } from 'zod'
import { defineCall } from './define.ts'

/** Named user-data directories, and the cookies of the running one. */

const contextId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'letters, digits, dash and underscore only, 64 at most')
const leaseId = z.string().max(100).optional().describe('The lease in force, where the caller is its holder')
const context = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  sizeBytes: z.number(),
  inUse: z.boolean(),
})

export const listContexts = defineCall({
  name: 'contexts.list',
  method: 'GET',
  path: '/v1/browser/contexts',
  access: 'secret',
  summary: 'The browser contexts of this machine.',
  result: () => z.object({ contexts: z.array(context) }),
})

export const createContext = defineCall({
  name: 'contexts.create',
  method: 'POST',
  path: '/v1/browser/contexts',
  access: 'secret',
  summary: 'Makes an empty context.',
  params: () => z.strictObject({ name: z.string().trim().min(1).max(100) }),
  result: context,
  successStatus: 201,
  problems: ['conflict'],
  audit: 'context',
})

export const deleteContext = defineCall({
  name: 'contexts.delete',
  method: 'DELETE',
  path: '/v1/browser/contexts/:id',
  access: 'secret',
  summary: 'Deletes a context with everything in it. Not the one in use.',
  params: () => z.strictObject({ id: contextId }),
  result: () => z.object({ ok: z.boolean() }),
  problems: ['not-found', 'conflict'],
  audit: 'context',
})

const cookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.string().nullable(),
  /**
   * The site under which it is kept, apart from its namesakes under others, with ` cross-site` behind it for one of a
   * frame of another site there; null for one that is not kept apart.
   */
  partition: z.string().nullable().optional(),
})
const partition = z.string().max(300).optional()

export const listCookies = defineCall({
  name: 'cookies.list',
  method: 'GET',
  path: '/v1/browser/cookies',
  access: 'secret',
  summary: 'All cookies, or those that an address would be sent.',
  params: () => z.strictObject({ url: z.string().max(8192).optional() }),
  result: () => z.object({ cookies: z.array(cookie) }),
  problems: ['not-active', 'cdp-error', 'invalid-url'],
})

export const setCookie = defineCall({
  name: 'cookies.set',
  method: 'POST',
  path: '/v1/browser/cookies',
  access: 'secret',
  summary: 'Sets a cookie.',
  params: () =>
    z.strictObject({
      name: z.string().min(1).max(4096),
      value: z.string().max(4096),
      domain: z.string().max(253).optional(),
      url: z.string().max(8192).optional(),
      path: z.string().max(1024).default('/'),
      expires: z.number().optional().describe('Seconds since 1970; without it the cookie ends with the browser'),
      httpOnly: z.boolean().default(false),
      secure: z.boolean().default(false),
      sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
      partition: partition.describe('As the list gives it'),
      leaseId,
    }),
  secretParams: ['value'],
  result: () => z.object({ ok: z.boolean() }),
  problems: ['not-active', 'cdp-error', 'invalid-url', 'invalid-params', 'held-by-operator'],
  audit: 'act',
})

export const deleteCookies = defineCall({
  name: 'cookies.delete',
  method: 'DELETE',
  path: '/v1/browser/cookies',
  access: 'secret',
  summary: 'Deletes the cookies of a name: everywhere, or of one domain, one path, one partition.',
  params: () =>
    z.strictObject({
      name: z.string().min(1).max(4096),
      domain: z.string().max(253).optional(),
      path: z.string().max(1024).optional(),
      partition: partition.describe('As the list gives it; empty for those that have none'),
      leaseId,
    }),
  result: () => z.object({ ok: z.boolean() }),
  problems: ['not-active', 'cdp-error', 'held-by-operator'],
  audit: 'act',
})
