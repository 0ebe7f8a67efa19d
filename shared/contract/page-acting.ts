import { z } from 'zod'
import { defineCall } from './define.ts'
import { actingProblems, done, leaseId, selector, timeout } from './page-words.ts'

/** The page in front: what a hand would do to it. */

export const click = defineCall({
  name: 'browser.click',
  method: 'POST',
  path: '/v1/browser/click',
  access: 'secret',
  summary: 'Clicks an element, once it is there, seen, still and not covered.',
  params: () =>
    z.strictObject({
      selector,
      button: z.enum(['left', 'middle', 'right']).default('left'),
      clickCount: z.int().min(1).max(3).default(1),
      timeout,
      leaseId,
    }),
  result: done,
  problems: actingProblems,
  audit: 'act',
})

export const type = defineCall({
  name: 'browser.type',
  method: 'POST',
  path: '/v1/browser/type',
  access: 'secret',
  summary: 'Types text into an element.',
  params: () =>
    z.strictObject({
      selector,
      text: z.string().max(100_000),
      delay: z.int().min(0).max(1000).default(0),
      clear: z.boolean().default(false),
      timeout,
      leaseId,
    }),
  secretParams: ['text'],
  result: done,
  problems: actingProblems,
  audit: 'act',
})

export const select = defineCall({
  name: 'browser.select',
  method: 'POST',
  path: '/v1/browser/select',
  access: 'secret',
  summary: 'Chooses an option by its value or its text.',
  params: () => z.strictObject({ selector, value: z.string().max(10_000), timeout, leaseId }),
  secretParams: ['value'],
  result: done,
  problems: actingProblems,
  audit: 'act',
})

export const hover = defineCall({
  name: 'browser.hover',
  method: 'POST',
  path: '/v1/browser/hover',
  access: 'secret',
  summary: 'Moves the pointer over an element.',
  params: () => z.strictObject({ selector, timeout, leaseId }),
  result: done,
  problems: actingProblems,
  audit: 'act',
})

export const scroll = defineCall({
  name: 'browser.scroll',
  method: 'POST',
  path: '/v1/browser/scroll',
  access: 'secret',
  summary: 'Scrolls the page, or an element, by so many pixels; with only a selector, into view.',
  params: () =>
    z.strictObject({
      selector: selector.optional(),
      x: z.number().default(0),
      y: z.number().default(0),
      timeout,
      leaseId,
    }),
  result: done,
  problems: actingProblems,
  audit: 'act',
})

export const upload = defineCall({
  name: 'browser.upload',
  method: 'POST',
  path: '/v1/browser/upload',
  access: 'secret',
  summary: 'Puts a file of the allowed folder into a file field; GET /v1/browser/uploads lists those.',
  params: () =>
    z.strictObject({
      selector: selector.optional().describe('Without one, the field that was clicked and waits for a file'),
      path: z
        .string()
        .min(1)
        .max(1024)
        .nullable()
        .describe('Null, without a selector: none, as if the dialog had been cancelled'),
      timeout,
      leaseId,
    }),
  result: done,
  problems: [...actingProblems, 'forbidden', 'invalid-params'],
  audit: 'act',
})

export const uploads = defineCall({
  name: 'browser.uploads',
  method: 'GET',
  path: '/v1/browser/uploads',
  access: 'secret',
  summary: 'The files that can be put into a file field, the newest first, and the folder that they are in.',
  result: () =>
    z.object({
      folder: z.string(),
      files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), modifiedAt: z.string() })),
      /** There are more than are listed. */
      more: z.boolean(),
    }),
})

export const dialog = defineCall({
  name: 'browser.dialog',
  method: 'POST',
  path: '/v1/browser/dialog',
  access: 'secret',
  summary: 'Answers the dialog that is open.',
  params: () => z.strictObject({ accept: z.boolean(), text: z.string().max(10_000).optional(), leaseId }),
  secretParams: ['text'],
  result: done,
  problems: ['not-active', 'held-by-operator', 'not-found', 'cdp-error'],
  audit: 'act',
})
