import { z } from 'zod'
import { defineCall } from './define.ts'
import { pageDialog } from './page-watching.ts'
import { address, done, leaseId, place, readingProblems, selector, timeout } from './page-words.ts'

/** The page in front: going places, waiting, tabs. */

export const navigate = defineCall({
  name: 'browser.navigate',
  method: 'POST',
  path: '/v1/browser/navigate',
  access: 'secret',
  summary: 'Opens an address and waits until the page is as far as asked.',
  params: () =>
    z.strictObject({
      url: address,
      waitUntil: z.enum(['load', 'domcontentloaded', 'networkidle']).default('load'),
      timeout: z.int().min(100).max(120_000).default(25_000),
      leaseId,
    }),
  result: () =>
    place.extend({
      status: z.number().int().nullable(),
      /** Set when the address was a file to download: the page stays where it was. */
      download: z.object({ filename: z.string(), url: z.string() }).nullable(),
    }),
  problems: [...readingProblems, 'invalid-url', 'held-by-operator'],
  audit: 'navigate',
})

const history = (name: 'back' | 'forward', summary: string) =>
  defineCall({
    name: `browser.${name}` as const,
    method: 'POST',
    path: `/v1/browser/${name}`,
    access: 'secret',
    summary,
    params: z.strictObject({ leaseId }),
    result: place,
    problems: [...readingProblems, 'held-by-operator'],
    audit: 'navigate',
  })

export const back = history('back', 'One page back in the history of the tab.')
export const forward = history('forward', 'One page forward.')

export const reload = defineCall({
  name: 'browser.reload',
  method: 'POST',
  path: '/v1/browser/reload',
  access: 'secret',
  summary: 'Loads the page again.',
  params: () => z.strictObject({ ignoreCache: z.boolean().default(false), leaseId }),
  result: place,
  problems: [...readingProblems, 'held-by-operator'],
  audit: 'navigate',
})

export const wait = defineCall({
  name: 'browser.wait',
  method: 'POST',
  path: '/v1/browser/wait',
  access: 'secret',
  summary: 'Waits for an element to be there, to be seen, or to be gone; `found` is false when it was not so in time.',
  params: () =>
    z.strictObject({ selector, timeout, state: z.enum(['visible', 'hidden', 'attached']).default('visible') }),
  result: () => z.object({ found: z.boolean() }),
  problems: ['not-active', 'cdp-error', 'conflict', 'invalid-selector'],
})

export const tab = z.object({ id: z.string(), url: z.string(), title: z.string(), active: z.boolean() })
const tabId = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'the id of a tab, as GET /v1/browser/tabs lists it'),
  leaseId,
})

export const listTabs = defineCall({
  name: 'tabs.list',
  method: 'GET',
  path: '/v1/browser/tabs',
  access: 'secret',
  summary: 'The open tabs.',
  result: () =>
    z.object({ tabs: z.array(tab.extend({ dialog: pageDialog.optional().describe('Only while one is open there') })) }),
  problems: ['not-active'],
})

export const openTab = defineCall({
  name: 'tabs.open',
  method: 'POST',
  path: '/v1/browser/tabs',
  access: 'secret',
  summary: 'Opens a tab.',
  params: () => z.strictObject({ url: address.optional(), leaseId }),
  result: () => z.object({ id: z.string(), url: z.string(), title: z.string() }),
  successStatus: 201,
  problems: [...readingProblems, 'invalid-url', 'held-by-operator'],
  audit: 'navigate',
})

export const activateTab = defineCall({
  name: 'tabs.activate',
  method: 'POST',
  path: '/v1/browser/tabs/:id/activate',
  access: 'secret',
  summary: 'Brings a tab to the front.',
  params: tabId,
  result: () => z.object({ id: z.string(), url: z.string(), title: z.string() }),
  problems: ['not-active', 'cdp-error', 'not-found', 'held-by-operator'],
  audit: 'navigate',
})

export const closeTab = defineCall({
  name: 'tabs.close',
  method: 'DELETE',
  path: '/v1/browser/tabs/:id',
  access: 'secret',
  summary: 'Closes a tab.',
  paramsIn: 'body',
  params: tabId,
  result: done,
  problems: ['not-active', 'cdp-error', 'timeout', 'not-found', 'held-by-operator'],
  audit: 'navigate',
})
