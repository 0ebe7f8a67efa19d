import { z } from 'zod'
import { secretShape } from '../domain/agent-secret.ts'
import { defineCall, openEnum, raw } from './define.ts'

/** The machine and its agent: alive, which version, how loaded, what it can do. */

export const healthStatuses = ['ok', 'degraded', 'error'] as const

/** How it is, and why that is not `ok`. */
export const healthNews = z.object({ status: openEnum(healthStatuses), reason: z.string() })

export const healthResult = z.object({
  status: openEnum(healthStatuses),
  activeWorkers: z.number().int(),
  deploySafe: z.boolean(),
  apiHealthy: z.boolean(),
  workerStatus: z.string(),
  currentDeploy: z.object({ imageTag: z.string(), elapsedMs: z.number() }).nullable(),
  uptimeMs: z.number(),
  /** Shells people have open on it: a machine with one is not idle. */
  openTerminals: z.number().int().optional(),
})

export const health = defineCall({
  name: 'machine.health',
  method: 'GET',
  path: '/health',
  access: 'open',
  summary: 'Whether the agent and what it looks after are well.',
  result: healthResult,
})

export const version = defineCall({
  name: 'machine.version',
  method: 'GET',
  path: '/version',
  access: 'open',
  summary: 'Which agent this is.',
  result: () =>
    z.object({
      agentVersion: z.string(),
      ghosthandsVersion: z.string().nullable(),
      dockerVersion: z.string().nullable(),
      os: z.string(),
      arch: z.string(),
    }),
})

export const metricsResult = z.object({
  cpu: z.object({ usagePercent: z.number(), cores: z.number().int() }),
  memory: z.object({ usedMb: z.number(), totalMb: z.number(), usagePercent: z.number() }),
  disk: z.object({ usedGb: z.number(), totalGb: z.number(), usagePercent: z.number() }),
  network: z.object({ rxBytesPerSec: z.number(), txBytesPerSec: z.number() }),
})
export type Metrics = z.infer<typeof metricsResult>

export const metrics = defineCall({
  name: 'machine.metrics',
  method: 'GET',
  path: '/metrics',
  access: 'open',
  summary: 'Load now. With `Accept: text/plain`, or the OpenMetrics type, the same as OpenMetrics text.',
  result: metricsResult,
  textTypes: ['text/plain', 'application/openmetrics-text'],
})

export const capabilityNames = [
  'docker',
  'display',
  'vnc',
  'chromium',
  'adspower',
  'pty',
  'recording',
  'engines',
] as const

export const capabilitySchema = z.object({
  available: z.boolean(),
  detail: z.string(),
  /** The command that installs it; null where it is there, or where no command would help. */
  install: z.string().nullable(),
})
export type Capability = z.infer<typeof capabilitySchema>

export const status = defineCall({
  name: 'machine.status',
  method: 'GET',
  path: '/status',
  access: 'secret',
  summary: 'What this machine is and which optional parts work on it.',
  result: () =>
    z.object({
      /** Made once and kept: a machine that answers with another one is another machine. */
      agentId: z.string(),
      agentVersion: z.string(),
      machineType: z.string(),
      hostname: z.string(),
      os: z.object({ platform: z.string(), release: z.string(), arch: z.string() }),
      docker: z.object({ version: z.string(), containers: z.number().int() }).nullable(),
      workers: z.number().int(),
      uptime: z.number(),
      /** With the reason, which `/health` does not tell to whoever asks. */
      health: healthNews.optional(),
      capabilities: z.record(z.string(), capabilitySchema),
    }),
})

export const openapi = defineCall({
  name: 'machine.openapi',
  method: 'GET',
  path: '/openapi.json',
  access: 'secret',
  summary: 'This API, generated from the same schemas that check it.',
  result: () => z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
})

export const createTicket = defineCall({
  name: 'tickets.create',
  method: 'POST',
  path: '/tickets',
  access: 'secret',
  windows: false,
  summary: 'A single-use ticket that opens one WebSocket path within 30 s, for clients that cannot send a header.',
  params: () =>
    z.strictObject({
      scope: z.string().min(1).max(200).describe('The path of the socket, such as /ws/events'),
    }),
  result: () => z.object({ ticket: z.string(), scope: z.string(), expiresAt: z.iso.datetime() }),
})

const done = z.object({ success: z.boolean(), message: z.string() })

export const shutdown = defineCall({
  name: 'machine.shutdown',
  method: 'POST',
  path: '/system/shutdown',
  access: 'secret',
  summary: 'Powers the machine off.',
  result: done,
  problems: ['forbidden', 'install-required', 'timeout'],
  audit: 'stop',
  auditSubject: 'machine',
})

const newSecret = z
  .string()
  .min(32, 'a secret has at least 32 bytes: make one with "pilothouse-agent secret"')
  .max(512)
  .regex(secretShape, 'a secret has plain letters, digits and signs, and no space at its ends')

export const rotateSecret = defineCall({
  name: 'machine.rotateSecret',
  method: 'POST',
  path: '/rotate-secret',
  access: 'secret',
  // A secret would cross.
  windows: false,
  summary:
    'Takes a new secret. The old one stays valid for 60 s, so that a console that dies halfway is not locked out.',
  params: () => z.strictObject({ current: z.string().min(1).max(512), next: newSecret }),
  result: () => done.extend({ oldValidUntil: z.iso.datetime() }),
  problems: ['forbidden', 'storage-full', 'conflict'],
  audit: 'rotate_secret',
})

export const refreshSecrets = defineCall({
  name: 'machine.refreshSecrets',
  method: 'POST',
  path: '/admin/refresh-secrets',
  access: 'secret',
  summary: "Reads the env file and the agent's own configuration again.",
  result: done,
  problems: ['conflict', 'forbidden'],
  audit: 'rotate_secret',
  auditSubject: 'configuration',
})

export const screenshot = defineCall({
  name: 'machine.screenshot',
  method: 'GET',
  path: '/screenshot',
  access: 'secret',
  summary: 'A PNG of what the browser shows.',
  result: raw('image/png'),
  problems: ['not-active', 'cdp-error', 'timeout'],
  audit: 'screenshot',
})
