import { z } from 'zod'

/** Everyone's audit: the console's own record and those of all agents, merged, filtered and paged. */

/** The console's own record; every other source is a machine's id. */
export const consoleSource = 'console'

const source = z.string().min(1).max(100)
const cursor = z.strictObject({ at: z.string().max(40), source, id: z.int() })
export type AuditCursor = z.infer<typeof cursor>

export const auditFilter = z.strictObject({
  /** Nothing chosen is everything. */
  sources: z.array(source).max(2000).default([]),
  actions: z.array(z.string().max(64)).max(100).default([]),
  results: z.array(z.string().max(20)).max(10).default([]),
  operator: z.string().max(200).default(''),
  text: z.string().max(200).default(''),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
})
export type AuditFilterWish = z.input<typeof auditFilter>
export type AuditFilter = z.output<typeof auditFilter>

export const mergedEntry = z.object({
  source,
  id: z.number().int(),
  at: z.string(),
  action: z.string(),
  operator: z.string().nullable(),
  machineId: z.string().nullable(),
  result: z.string(),
  errorMessage: z.string().nullable(),
  durationMs: z.number().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type MergedEntry = z.infer<typeof mergedEntry>

export const auditSource = z.object({
  source,
  /** Rows at hand on this computer. */
  entries: z.number().int(),
  /** When they were last brought up to date; null where that never was. The console's own always are. */
  refreshedAt: z.string().nullable(),
  /** Whether the rows reach back to the record's beginning. */
  complete: z.boolean(),
})
export type AuditSource = z.infer<typeof auditSource>

export const auditCalls = {
  'audit.query': {
    params: z.strictObject({
      filter: auditFilter,
      before: cursor.optional(),
      limit: z.int().min(1).max(500).default(200),
    }),
    result: z.object({
      entries: z.array(mergedEntry),
      /**
       * Where the next page begins; null at the end. A page with few entries, or none, and a next one was a long search,
       * or ends where a machine has to be asked for what is older.
       */
      next: cursor.nullable(),
      /** Sources that have older rows which could not be fetched now. */
      missing: z.array(source),
    }),
  },
  /** Brings rows of machines that run up to date, those first that wait longest; says how many are left. */
  'audit.refresh': {
    params: z.strictObject({ most: z.int().min(1).max(200).default(50) }),
    result: z.object({ refreshed: z.number().int(), failed: z.array(source), left: z.number().int() }),
  },
  'audit.sources': {
    params: z.strictObject({}),
    result: z.object({ sources: z.array(auditSource), actions: z.array(z.string()), operators: z.array(z.string()) }),
  },
  /** Everything that a filter finds, into a file that the person chooses; null when they changed their mind. */
  'audit.exportMerged': {
    params: z.strictObject({ format: z.enum(['csv', 'json']), filter: auditFilter }),
    result: z.object({
      file: z.string().nullable(),
      entries: z.number().int(),
      /** Sources whose older rows could not be fetched, so that they are not in the file. */
      missing: z.array(source),
      stopped: z.boolean(),
    }),
  },
  /** Ends every export that is being written with what it has. */
  'audit.stopExport': { params: z.strictObject({}), result: z.null() },
} as const
