import { z } from 'zod'
import { defineCall, openEnum } from './define.ts'

/** The record of every state-changing call. Rows are chained by hash, so that none can be changed unseen. */

export const auditEntry = z.object({
  id: z.number().int(),
  createdAt: z.string(),
  action: z.string(),
  operator: z.string().nullable(),
  peer: z.string(),
  requestId: z.string(),
  details: z.record(z.string(), z.unknown()),
  /** `pending` while it runs; `unknown` when the agent died before it could say. */
  result: openEnum(['pending', 'success', 'failure', 'error', 'unknown']),
  errorMessage: z.string().nullable(),
  durationMs: z.number().nullable(),
  hash: z.string(),
})
export type AuditEntry = z.infer<typeof auditEntry>

export const listAudit = defineCall({
  name: 'audit.list',
  method: 'GET',
  path: '/audit',
  access: 'secret',
  summary: 'State-changing calls, newest first.',
  params: () =>
    z.strictObject({
      page: z.int().min(1).max(1_000_000_000).default(1),
      pageSize: z.int().min(1).max(500).default(50),
      action: z.string().max(64).optional(),
      operator: z.string().max(200).optional(),
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
    }),
  result: () =>
    z.object({
      entries: z.array(auditEntry),
      page: z.number().int(),
      pageSize: z.number().int(),
      total: z.number().int(),
    }),
})

export const verifyAudit = defineCall({
  name: 'audit.verify',
  method: 'GET',
  path: '/audit/verify',
  access: 'secret',
  summary: 'Walks the hash chain and names the first broken link.',
  result: () =>
    z.object({
      sound: z.boolean(),
      entries: z.number().int(),
      head: z.string(),
      broken: z.object({ id: z.number().int(), reason: z.string() }).nullable(),
    }),
})

const chainHead = z.strictObject({
  entries: z.int().min(0),
  head: z.string().regex(/^[0-9a-f]{64}$/),
})

export const echoAudit = defineCall({
  name: 'audit.echo',
  method: 'POST',
  path: '/audit/echo',
  access: 'secret',
  windows: false,
  summary: 'Console and agent tell each other where their records end, so that neither can cut its own unseen.',
  params: () =>
    z.strictObject({
      consoleId: z.string().min(1).max(100),
      /** Where the record of the console ends: kept here, in the chain. */
      console: chainHead,
      /** How many links of this agent's chain the console has seen: `hashThen` is the hash of the last of those. */
      seen: z.int().min(0).default(0),
    }),
  result: () =>
    z.object({
      entries: z.number().int(),
      head: z.string(),
      /** Null where the chain no longer reaches that far. */
      hashThen: z.string().nullable(),
      /** What this console said of its own record the last time. */
      consoleThen: z.object({ entries: z.number().int(), head: z.string(), at: z.string() }).nullable(),
    }),
  audit: 'audit_echo',
})
