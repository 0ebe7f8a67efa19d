import { z } from 'zod'
import { enrollSteps } from './domain/enroll-steps.ts'
import { environments } from './domain/environments.ts'
import { machineTypes, machineView, tunnelSchema } from './domain/machine.ts'
import { awsAccount, powerStates, priceTable, providerSchema } from './domain/power.ts'

/** The part of the IPC that is about machines as such: power, discovery, enrolment, history, diagnostics. */

const nothing = z.strictObject({})
const machineId = z.string().min(1).max(100)
const onMachine = z.strictObject({ machineId })
const done = z.object({})
const keysName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, dot, dash and underscore')

export const discoveredInstance = z.object({
  instanceId: z.string(),
  name: z.string(),
  state: z.enum(powerStates),
  instanceType: z.string().nullable(),
  privateIp: z.string().nullable(),
  publicIp: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  /** The machine of this fleet that it already is. */
  machineId: z.string().nullable(),
})

export const metricPoint = z.object({
  at: z.number(),
  cpu: z.number(),
  memory: z.number(),
  disk: z.number(),
  rx: z.number(),
  tx: z.number(),
})

export const consoleAuditEntry = z.object({
  id: z.number().int(),
  sandboxId: z.string().nullable(),
  operator: z.string(),
  action: z.string(),
  details: z.record(z.string(), z.unknown()),
  result: z.string(),
  errorMessage: z.string().nullable(),
  durationMs: z.number().nullable(),
  createdAt: z.string(),
})

export const diagnosticsView = z.object({
  sandboxes: z.record(z.string(), z.number().int()),
  transitionsLastHour: z.number().int(),
  verifications: z.object({ total: z.number().int(), failed: z.number().int() }),
  reconciliation: z.object({
    rounds: z.number().int(),
    corrections: z.number().int(),
    last: z
      .object({ at: z.string(), checked: z.number().int(), corrected: z.number().int(), failed: z.number().int() })
      .nullable(),
  }),
  eventLatencyMs: z.object({ p50: z.number(), p95: z.number() }).nullable(),
  events: z.number().int(),
  openTunnels: z.number().int(),
  openStreams: z.number().int(),
  audit: z.object({ entries: z.number().int(), head: z.string() }),
  versions: z.record(z.string(), z.string()),
  /** All of it as one text, for a bug report. It holds no names of machines and no addresses. */
  text: z.string(),
})
export type Diagnostics = z.infer<typeof diagnosticsView>

/** An enrolment that was broken off. It goes on when it is started again, or it is undone. */
export const unfinishedEnrollment = z.object({
  enrollId: z.string(),
  name: z.string(),
  environment: z.enum(environments),
  machineType: z.enum(machineTypes),
  provider: providerSchema.optional(),
  ssh: tunnelSchema,
  at: z.string(),
  /** Why it ended. */
  detail: z.string(),
})
export type UnfinishedEnrollment = z.infer<typeof unfinishedEnrollment>

const enrollStep = z.object({
  enrollId: z.string(),
  step: z.enum(enrollSteps),
  state: z.enum(['running', 'done', 'failed', 'undone']),
  detail: z.string(),
})

/** An enrolment that is under way. */
export const runningEnrollment = z.object({
  enrollId: z.string(),
  name: z.string(),
  host: z.string(),
  /** Someone stopped it: it ends after the step that is under way, and is undone. */
  stopping: z.boolean(),
  steps: z.array(enrollStep),
})
export type RunningEnrollment = z.infer<typeof runningEnrollment>
const runningEnrollments = z.object({ running: z.array(runningEnrollment) })

export const powerCalls = {
  'fleet.update': {
    params: z.strictObject({
      machineId,
      name: z.string().trim().min(1).max(100).optional(),
      environment: z.enum(environments).optional(),
      machineType: z.enum(machineTypes).optional(),
      tunnel: tunnelSchema.optional(),
      provider: providerSchema.nullable().optional(),
    }),
    result: machineView,
  },
  'power.start': { params: onMachine, result: machineView },
  'power.stop': { params: onMachine, result: machineView },
  'power.reboot': { params: onMachine, result: machineView },
  'autostop.set': {
    params: z.strictObject({ machineId, enabled: z.boolean(), idleMinutes: z.int().min(5).max(1440) }),
    result: machineView,
  },
  /** Keeps a machine up for an hour, whatever auto-stop says. */
  'autostop.keep': { params: onMachine, result: machineView },

  'discover.ec2': {
    params: z.strictObject({
      account: awsAccount,
      tag: z.strictObject({ key: z.string().trim().min(1).max(128), value: z.string().trim().max(256) }),
    }),
    result: z.object({ instances: z.array(discoveredInstance) }),
  },
  /** Which credentials there are; never their values. */
  'aws.accounts': {
    params: nothing,
    result: z.object({
      profiles: z.array(z.string()),
      keys: z.array(z.object({ name: z.string(), since: z.string() })),
    }),
  },
  /** The one moment these cross: a person types them in. */
  'aws.setKeys': {
    params: z.strictObject({
      name: keysName,
      accessKeyId: z.string().trim().min(16).max(128),
      secretAccessKey: z.string().trim().min(16).max(128),
      sessionToken: z.string().trim().max(4096).optional(),
    }),
    result: z.object({ kept: z.enum(['keychain', 'this-run']) }),
  },
  'aws.removeKeys': { params: z.strictObject({ name: keysName }), result: done },
  'prices.get': { params: nothing, result: priceTable },
  'prices.set': { params: priceTable, result: priceTable },

  'metrics.history': {
    params: z.strictObject({ machineId, from: z.int().min(0), to: z.int().min(0) }),
    result: z.object({ everyMs: z.number(), points: z.array(metricPoint) }),
  },
  'history.transitions': {
    params: onMachine,
    result: z.array(z.object({ at: z.string(), from: z.string(), to: z.string(), reason: z.string() })),
  },
  'history.events': {
    params: z.strictObject({ machineId, limit: z.int().min(1).max(1000).default(200) }),
    result: z.array(
      z.object({ seq: z.number(), at: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) }),
    ),
  },
  'audit.console': {
    params: z.strictObject({
      machineId: machineId.optional(),
      action: z.string().max(64).optional(),
      from: z.iso.datetime().optional(),
      to: z.iso.datetime().optional(),
      before: z.int().min(1).optional(),
      limit: z.int().min(1).max(500).default(50),
    }),
    result: z.object({ entries: z.array(consoleAuditEntry) }),
  },
  'audit.verifyConsole': {
    params: nothing,
    result: z.object({
      sound: z.boolean(),
      entries: z.number().int(),
      head: z.string(),
      broken: z.object({ id: z.number().int(), reason: z.string() }).nullable(),
    }),
  },
  /** Asks the person where to; null when they changed their mind. */
  'audit.export': {
    params: z.strictObject({ format: z.enum(['csv', 'json']) }),
    result: z.object({ file: z.string().nullable(), entries: z.number().int() }),
  },
  'diagnostics.get': { params: nothing, result: diagnosticsView },
  'fleet.reconcile': {
    params: nothing,
    result: z.object({ at: z.string(), checked: z.number(), corrected: z.number(), failed: z.number() }),
  },

  /** Installs the agent over SSH and adds the machine. Each step is told by `enroll.step`. */
  'enroll.start': {
    params: z.strictObject({
      enrollId: z.uuid(),
      name: z.string().trim().min(1).max(100),
      environment: z.enum(environments),
      machineType: z.enum(machineTypes),
      provider: providerSchema.optional(),
      ssh: tunnelSchema,
    }),
    result: machineView,
  },
  'enroll.cancel': { params: z.strictObject({ enrollId: z.uuid() }), result: done },
  /** Those that are under way, whichever window began them. */
  'enroll.running': { params: nothing, result: runningEnrollments },
  /** Those that were broken off, by a failure or by the end of the console. */
  'enroll.unfinished': { params: nothing, result: z.object({ enrollments: z.array(unfinishedEnrollment) }) },
  /** Takes away what one of them put onto its machine. */
  'enroll.discard': { params: z.strictObject({ enrollId: z.uuid() }), result: done },
  /** Brings a machine's agent to this console's version over SSH; back to an older one only when that is said. */
  'enroll.upgrade': {
    params: z.strictObject({ enrollId: z.uuid(), machineId, downgrade: z.boolean().default(false) }),
    result: machineView,
  },
  /** Removes from a machine what an enrolment put there, and the machine from this console. */
  'enroll.undo': { params: onMachine, result: done },
} as const

export const powerEvents = {
  sandbox_active: z.object({ machineId: z.string(), at: z.string() }),
  sandbox_terminated: z.object({ machineId: z.string(), at: z.string(), state: z.string(), reason: z.string() }),
  'autostop.warning': z.object({ machineId: z.string(), name: z.string(), stopsAt: z.string(), reason: z.string() }),
  'enroll.step': enrollStep,
  /** One began, came a step further or ended: all that are under way. */
  'enroll.changed': runningEnrollments,
} as const
