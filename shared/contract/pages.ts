import { z } from 'zod'
import { defineCall, openEnum, raw } from './define.ts'

/**
 * The page in front: going places, tabs, reading it, acting on it. A selector is CSS; the first element that
 * matches counts, looked for in the page, then in its frames (of other origins too), through open shadow roots.
 */

const selector = z.string().min(1).max(2000)
const timeout = z.int().min(0).max(120_000).default(10_000)
const address = z.string().min(1).max(8192)
const place = z.object({ url: z.string(), title: z.string() })
const done = z.object({ ok: z.boolean() })
// `conflict` is a page that shows a dialog: it answers nothing until the dialog is answered.
const reading = ['not-active', 'cdp-error', 'timeout', 'conflict'] as const
/** Whoever has control says so with this, and is not refused. */
const leaseId = z.string().max(100).optional().describe('The lease in force, where the caller is its holder')
const going = [...reading, 'held-by-operator'] as const
const acting = [...going, 'not-found', 'invalid-selector'] as const

export const navigate = defineCall({
  name: 'browser.navigate',
  method: 'POST',
  path: '/v1/browser/navigate',
  access: 'secret',
  summary: 'Opens an address and waits until the page is as far as asked.',
  params: z.strictObject({
    url: address,
    waitUntil: z.enum(['load', 'domcontentloaded', 'networkidle']).default('load'),
    timeout: z.int().min(100).max(120_000).default(25_000),
    leaseId,
  }),
  result: place.extend({
    status: z.number().int().nullable(),
    /** Set when the address was a file to download: the page stays where it was. */
    download: z.object({ filename: z.string(), url: z.string() }).nullable(),
  }),
  problems: [...going, 'invalid-url'],
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
    problems: going,
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
  params: z.strictObject({ ignoreCache: z.boolean().default(false), leaseId }),
  result: place,
  problems: going,
  audit: 'navigate',
})

export const wait = defineCall({
  name: 'browser.wait',
  method: 'POST',
  path: '/v1/browser/wait',
  access: 'secret',
  summary: 'Waits for an element to be there, to be seen, or to be gone; `found` is false when it was not so in time.',
  params: z.strictObject({ selector, timeout, state: z.enum(['visible', 'hidden', 'attached']).default('visible') }),
  result: z.object({ found: z.boolean() }),
  problems: ['not-active', 'cdp-error', 'conflict', 'invalid-selector'],
})

export const tab = z.object({ id: z.string(), url: z.string(), title: z.string(), active: z.boolean() })
const tabId = z.strictObject({ id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/), leaseId })

export const listTabs = defineCall({
  name: 'tabs.list',
  method: 'GET',
  path: '/v1/browser/tabs',
  access: 'secret',
  summary: 'The open tabs.',
  result: z.object({ tabs: z.array(tab) }),
  problems: ['not-active'],
})

export const openTab = defineCall({
  name: 'tabs.open',
  method: 'POST',
  path: '/v1/browser/tabs',
  access: 'secret',
  summary: 'Opens a tab.',
  params: z.strictObject({ url: address.optional(), leaseId }),
  result: z.object({ id: z.string(), url: z.string(), title: z.string() }),
  successStatus: 201,
  problems: [...going, 'invalid-url'],
  audit: 'navigate',
})

export const activateTab = defineCall({
  name: 'tabs.activate',
  method: 'POST',
  path: '/v1/browser/tabs/:id/activate',
  access: 'secret',
  summary: 'Brings a tab to the front.',
  params: tabId,
  result: z.object({ id: z.string(), url: z.string(), title: z.string() }),
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

export const pageScreenshot = defineCall({
  name: 'browser.screenshot',
  method: 'GET',
  path: '/v1/browser/screenshot',
  access: 'secret',
  summary: 'A picture of the page, the whole page, or one element.',
  params: z.strictObject({
    format: z.enum(['png', 'jpeg', 'webp']).default('png'),
    quality: z.int().min(0).max(100).optional(),
    fullPage: z.boolean().default(false),
    selector: selector.optional(),
  }),
  result: raw('image/png', 'image/jpeg', 'image/webp'),
  problems: [...reading, 'not-found', 'invalid-selector'],
})

export const pdf = defineCall({
  name: 'browser.pdf',
  method: 'GET',
  path: '/v1/browser/pdf',
  access: 'secret',
  summary: 'The page as a PDF.',
  params: z.strictObject({
    format: z.enum(['a4', 'letter', 'legal']).default('a4'),
    landscape: z.boolean().default(false),
    printBackground: z.boolean().default(false),
    scale: z.number().min(0.1).max(2).default(1),
  }),
  result: raw('application/pdf'),
  problems: reading,
})

export const content = defineCall({
  name: 'browser.content',
  method: 'GET',
  path: '/v1/browser/content',
  access: 'secret',
  summary: 'The HTML of the page or of an element.',
  params: z.strictObject({ selector: selector.optional() }),
  result: place.extend({ html: z.string() }),
  problems: [...reading, 'not-found', 'invalid-selector'],
})

export const markdown = defineCall({
  name: 'browser.markdown',
  method: 'GET',
  path: '/v1/browser/markdown',
  access: 'secret',
  summary: 'The page as Markdown, without navigation, footers and asides.',
  result: place.extend({ markdown: z.string(), truncated: z.boolean() }),
  problems: reading,
})

export const scrape = defineCall({
  name: 'browser.scrape',
  method: 'POST',
  path: '/v1/browser/scrape',
  access: 'secret',
  summary: 'The texts of the elements that each named selector finds.',
  params: z.strictObject({
    selectors: z.record(z.string().min(1).max(200), selector),
    url: address.optional(),
    leaseId,
  }),
  result: place.extend({ data: z.record(z.string(), z.array(z.string())) }),
  problems: [...going, 'invalid-selector', 'invalid-url'],
  audit: 'navigate',
})

export const links = defineCall({
  name: 'browser.links',
  method: 'GET',
  path: '/v1/browser/links',
  access: 'secret',
  summary: 'Every link of the page.',
  result: z.object({ links: z.array(z.object({ href: z.string(), text: z.string() })), url: z.string() }),
  problems: reading,
})

export const execute = defineCall({
  name: 'browser.execute',
  method: 'POST',
  path: '/v1/browser/execute',
  access: 'secret',
  summary: 'Evaluates an expression in the page.',
  params: z.strictObject({
    expression: z.string().min(1).max(500_000),
    awaitPromise: z.boolean().default(true),
    timeout: z.int().min(100).max(120_000).default(25_000),
    leaseId,
  }),
  secretParams: ['expression'],
  result: z.object({ result: z.unknown(), type: z.string() }),
  problems: [...going, 'script-error'],
  audit: 'execute',
})

export const snapshot = defineCall({
  name: 'browser.snapshot',
  method: 'GET',
  path: '/v1/browser/snapshot',
  access: 'secret',
  summary: 'The accessibility tree as text.',
  result: place.extend({ snapshot: z.string() }),
  problems: reading,
})

export const click = defineCall({
  name: 'browser.click',
  method: 'POST',
  path: '/v1/browser/click',
  access: 'secret',
  summary: 'Clicks an element, once it is there, seen, still and not covered.',
  params: z.strictObject({
    selector,
    button: z.enum(['left', 'middle', 'right']).default('left'),
    clickCount: z.int().min(1).max(3).default(1),
    timeout,
    leaseId,
  }),
  result: done,
  problems: acting,
  audit: 'act',
})

export const type = defineCall({
  name: 'browser.type',
  method: 'POST',
  path: '/v1/browser/type',
  access: 'secret',
  summary: 'Types text into an element.',
  params: z.strictObject({
    selector,
    text: z.string().max(100_000),
    delay: z.int().min(0).max(1000).default(0),
    clear: z.boolean().default(false),
    timeout,
    leaseId,
  }),
  secretParams: ['text'],
  result: done,
  problems: acting,
  audit: 'act',
})

export const select = defineCall({
  name: 'browser.select',
  method: 'POST',
  path: '/v1/browser/select',
  access: 'secret',
  summary: 'Chooses an option by its value or its text.',
  params: z.strictObject({ selector, value: z.string().max(10_000), timeout, leaseId }),
  secretParams: ['value'],
  result: done,
  problems: acting,
  audit: 'act',
})

export const hover = defineCall({
  name: 'browser.hover',
  method: 'POST',
  path: '/v1/browser/hover',
  access: 'secret',
  summary: 'Moves the pointer over an element.',
  params: z.strictObject({ selector, timeout, leaseId }),
  result: done,
  problems: acting,
  audit: 'act',
})

export const scroll = defineCall({
  name: 'browser.scroll',
  method: 'POST',
  path: '/v1/browser/scroll',
  access: 'secret',
  summary: 'Scrolls the page, or an element, by so many pixels; with only a selector, into view.',
  params: z.strictObject({
    selector: selector.optional(),
    x: z.number().default(0),
    y: z.number().default(0),
    timeout,
    leaseId,
  }),
  result: done,
  problems: acting,
  audit: 'act',
})

export const upload = defineCall({
  name: 'browser.upload',
  method: 'POST',
  path: '/v1/browser/upload',
  access: 'secret',
  summary: 'Puts a file of the allowed folder into a file field.',
  params: z.strictObject({ selector, path: z.string().min(1).max(1024), timeout, leaseId }),
  result: done,
  problems: [...acting, 'forbidden'],
  audit: 'act',
})

export const dialog = defineCall({
  name: 'browser.dialog',
  method: 'POST',
  path: '/v1/browser/dialog',
  access: 'secret',
  summary: 'Answers the dialog that is open.',
  params: z.strictObject({ accept: z.boolean(), text: z.string().max(10_000).optional(), leaseId }),
  secretParams: ['text'],
  result: done,
  problems: ['not-active', 'held-by-operator', 'not-found', 'cdp-error'],
  audit: 'act',
})

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
  params: z.strictObject({
    level: z.enum(['log', 'warn', 'error', 'info', 'debug']).optional(),
    limit: z.int().min(1).max(1000).default(100),
  }),
  result: z.object({ messages: z.array(consoleMessage) }),
  problems: ['not-active'],
})

export const networkRequest = z.object({
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
  params: z.strictObject({
    limit: z.int().min(1).max(1000).default(100),
    urlPattern: z.string().max(500).optional().describe('RE2 syntax'),
  }),
  result: z.object({ requests: z.array(networkRequest) }),
  problems: ['not-active', 'invalid-pattern'],
})

export const crawl = defineCall({
  name: 'browser.crawl',
  method: 'POST',
  path: '/v1/browser/crawl',
  access: 'secret',
  summary: 'Visits pages from one on, breadth first, each once, in a tab of its own.',
  params: z.strictObject({
    url: address,
    maxPages: z.int().min(1).max(100).default(10),
    maxDepth: z.int().min(0).max(10).default(2),
    allowedDomains: z.array(z.string().min(1).max(253)).max(100).optional(),
    extract: z.enum(['markdown', 'html', 'text', 'links']).default('markdown'),
    timeout: z
      .int()
      .min(1000)
      .max(300_000)
      .default(25_000)
      .describe('For the whole crawl; what was read by then is the answer'),
  }),
  result: z.object({
    pages: z.array(
      z.object({
        url: z.string(),
        title: z.string(),
        content: z.string(),
        links: z.array(z.string()),
        status: z.number().int().nullable(),
        depth: z.number().int(),
        /** Why the page could not be read; null when it could. */
        error: z.string().nullable(),
      }),
    ),
    totalPages: z.number().int(),
    truncated: z.boolean(),
  }),
  problems: ['not-active', 'cdp-error', 'invalid-url', 'too-many-requests'],
  audit: 'navigate',
})

const tabOf = { tabId: z.string() }

/** What happens on the pages, as `/v1/browser/watch` tells it. */
export const pageEvent = z.discriminatedUnion('type', [
  consoleMessage.extend({ type: z.literal('console') }),
  networkRequest.extend({ type: z.literal('network') }),
  z.object({ type: z.literal('navigation'), ...tabOf, url: z.string(), title: z.string(), active: z.boolean() }),
  z.object({
    type: z.literal('dialog'),
    ...tabOf,
    /** Null when the dialog has been answered. */
    dialog: z.object({ type: z.string(), message: z.string(), defaultPrompt: z.string(), url: z.string() }).nullable(),
  }),
  z.object({
    type: z.literal('download'),
    id: z.string(),
    url: z.string(),
    filename: z.string(),
    state: openEnum(['started', 'completed', 'cancelled']),
    receivedBytes: z.number(),
  }),
  z.object({ type: z.literal('crash'), ...tabOf, url: z.string() }),
])
export type PageEvent = z.infer<typeof pageEvent>
