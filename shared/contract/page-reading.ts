import { z } from 'zod'
import { defineCall, raw } from './define.ts'
import { address, leaseId, place, readingProblems, selector } from './page-words.ts'

/** The page in front: pictures, texts, what an expression gives, and the pages behind its links. */

export const pageScreenshot = defineCall({
  name: 'browser.screenshot',
  method: 'GET',
  path: '/v1/browser/screenshot',
  access: 'secret',
  summary:
    'A picture of the page, the whole page, or one element. Chromium draws 16,384 pixels of either side at most, and less for a WebP: of what is larger the beginning is shown, and the header `x-cut-from` gives the size of the whole.',
  params: () =>
    z.strictObject({
      format: z.enum(['png', 'jpeg', 'webp']).default('png'),
      quality: z.int().min(0).max(100).optional(),
      fullPage: z.boolean().default(false),
      selector: selector.optional(),
    }),
  result: raw('image/png', 'image/jpeg', 'image/webp'),
  problems: [...readingProblems, 'not-found', 'invalid-selector'],
})

export const pdf = defineCall({
  name: 'browser.pdf',
  method: 'GET',
  path: '/v1/browser/pdf',
  access: 'secret',
  summary: 'The page as a PDF.',
  params: () =>
    z.strictObject({
      format: z.enum(['a4', 'letter', 'legal']).default('a4'),
      landscape: z.boolean().default(false),
      printBackground: z.boolean().default(false),
      scale: z.number().min(0.1).max(2).default(1),
    }),
  result: raw('application/pdf'),
  problems: readingProblems,
})

export const content = defineCall({
  name: 'browser.content',
  method: 'GET',
  path: '/v1/browser/content',
  access: 'secret',
  summary: 'The HTML of the page or of an element.',
  params: () => z.strictObject({ selector: selector.optional() }),
  result: () => place.extend({ html: z.string() }),
  problems: [...readingProblems, 'not-found', 'invalid-selector'],
})

export const markdown = defineCall({
  name: 'browser.markdown',
  method: 'GET',
  path: '/v1/browser/markdown',
  access: 'secret',
  summary: 'The page as Markdown, without navigation, footers and asides.',
  result: () => place.extend({ markdown: z.string(), truncated: z.boolean() }),
  problems: readingProblems,
})

export const scrape = defineCall({
  name: 'browser.scrape',
  method: 'POST',
  path: '/v1/browser/scrape',
  access: 'secret',
  summary: 'The texts of the elements that each named selector finds.',
  params: () =>
    z.strictObject({
      selectors: z.record(z.string().min(1).max(200), selector),
      url: address.optional(),
      leaseId,
    }),
  result: () => place.extend({ data: z.record(z.string(), z.array(z.string())) }),
  problems: [...readingProblems, 'invalid-selector', 'invalid-url', 'held-by-operator'],
  audit: 'navigate',
})

export const links = defineCall({
  name: 'browser.links',
  method: 'GET',
  path: '/v1/browser/links',
  access: 'secret',
  summary: 'Every link of the page.',
  result: () => z.object({ links: z.array(z.object({ href: z.string(), text: z.string() })), url: z.string() }),
  problems: readingProblems,
})

export const execute = defineCall({
  name: 'browser.execute',
  method: 'POST',
  path: '/v1/browser/execute',
  access: 'secret',
  summary: 'Evaluates an expression in the page.',
  params: () =>
    z.strictObject({
      expression: z.string().min(1).max(500_000),
      awaitPromise: z.boolean().default(true),
      timeout: z.int().min(100).max(120_000).default(25_000),
      leaseId,
    }),
  secretParams: ['expression'],
  result: () => z.object({ result: z.unknown(), type: z.string() }),
  problems: [...readingProblems, 'held-by-operator', 'script-error'],
  audit: 'execute',
})

export const snapshot = defineCall({
  name: 'browser.snapshot',
  method: 'GET',
  path: '/v1/browser/snapshot',
  access: 'secret',
  summary: 'The accessibility tree as text.',
  result: () => place.extend({ snapshot: z.string() }),
  problems: readingProblems,
})

export const crawl = defineCall({
  name: 'browser.crawl',
  method: 'POST',
  path: '/v1/browser/crawl',
  access: 'secret',
  summary: 'Visits pages from one on, breadth first, each once, in a tab of its own.',
  params: () =>
    z.strictObject({
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
  result: () =>
    z.object({
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
