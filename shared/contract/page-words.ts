import { z } from 'zod'

/**
 * What the calls on the page in front share. A selector is CSS; the first element that matches counts, looked for in
 * the page, then in its frames (of other origins too), through open shadow roots.
 */

export const selector = z.string().min(1).max(2000)
export const timeout = z.int().min(0).max(120_000).default(10_000)
export const address = z.string().min(1).max(8192)
export const place = z.object({ url: z.string(), title: z.string() })
export const done = z.object({ ok: z.boolean() })
// `conflict` is a page that shows a dialog: it answers nothing until the dialog is answered.
export const readingProblems = ['not-active', 'cdp-error', 'timeout', 'conflict'] as const
/** Whoever has control says so with this, and is not refused. */
export const leaseId = z.string().max(100).optional().describe('The lease in force, where the caller is its holder')
export const actingProblems = [
  'not-active',
  'held-by-operator',
  'not-found',
  'invalid-selector',
  'conflict',
  'cdp-error',
  'timeout',
] as const
