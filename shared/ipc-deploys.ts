import { z } from 'zod'
import { workerStatuses } from './contract/workers.ts'
import { environments } from './domain/environments.ts'
import { legProgress, rolloutSchema } from './domain/rollout.ts'
import { rolloutStatuses } from './domain/rollout-states.ts'
import { tagShape } from './domain/tag-pattern.ts'

/** The part of the IPC that is about deploys over several machines, and where new images come from. */

const nothing = z.strictObject({})
const machineId = z.string().min(1).max(100)
const machineIds = z.array(machineId).min(1).max(5000)
const planId = z.uuid()
const rolloutId = z.int().min(1)
const onRollout = z.strictObject({ rolloutId })
const environment = z.enum(environments)
const tag = z.string().regex(tagShape, 'is not an image tag')
const maxUnavailable = z.int().min(1).max(1000)
const onFailure = z.enum(['stop', 'continue'])

/** A machine as it would be met by a deploy that begins now. */
export const plannedMachine = z.object({
  machineId: z.string(),
  name: z.string(),
  environment,
  batch: z.number().int(),
  /** What is deployed there now. */
  tag: z.string().nullable(),
  /** Why it would not be deployed to; null when nothing stands in the way. */
  obstacle: z.object({ state: z.enum(['unreachable', 'held', 'refused']), detail: z.string() }).nullable(),
  /** Who would be drained first, with what they are busy with. Null when it could not be asked, or was not. */
  workers: z
    .array(
      z.object({
        workerId: z.string(),
        status: z.union([z.enum(workerStatuses), z.string()]),
        activeJobs: z.number().int(),
        currentJob: z.string().nullable(),
      }),
    )
    .nullable(),
})
export type PlannedMachine = z.infer<typeof plannedMachine>

export const feedConfig = z.strictObject({
  address: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .regex(/^[^@\s]+$/, 'stands without a login in it'),
  repository: z
    .string()
    .trim()
    .max(255)
    .regex(/^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/, 'is not the name of a repository'),
  pattern: z.string().trim().min(1).max(128),
  /** Off unless someone switches it on. */
  autoDeploy: z.boolean(),
  maxUnavailable,
  onFailure,
  everyMinutes: z.int().min(1).max(1440),
})
export type FeedConfig = z.infer<typeof feedConfig>

export const pendingTag = z.object({
  tag: z.string(),
  digest: z.string(),
  firstSeenAt: z.string(),
  /** What it would be deployed as: its digest, where the tag meant another image before. */
  deployAs: z.string(),
  commit: z.string().nullable(),
  message: z.string().nullable(),
  branch: z.string().nullable(),
  source: z.string().nullable(),
  createdAt: z.string().nullable(),
})
export type PendingTag = z.infer<typeof pendingTag>

export const feedView = z.object({
  environment,
  config: feedConfig.nullable(),
  /** Since when a login for it is in the keychain; null without one. */
  loginSince: z.string().nullable(),
  looking: z.boolean(),
  lookedAt: z.string().nullable(),
  nextLookAt: z.string().nullable(),
  problem: z.object({ code: z.string(), title: z.string(), detail: z.string() }).nullable(),
  pending: z.array(pendingTag),
  /** How many machines of this console are in it. */
  machines: z.number().int(),
})
export type FeedView = z.infer<typeof feedView>

export const rolloutStep = z.object({
  at: z.string(),
  machineId: z.string().nullable(),
  step: z.string(),
  detail: z.string().nullable(),
})

export const deployCalls = {
  /** What has not ended, with what each machine is doing. */
  'deploys.active': {
    params: nothing,
    result: z.object({ rollouts: z.array(rolloutSchema), progress: z.array(legProgress) }),
  },
  'deploys.history': {
    params: z.strictObject({
      environment: environment.optional(),
      status: z.enum(rolloutStatuses).optional(),
      text: z.string().trim().max(200).optional(),
      machineId: machineId.optional(),
      before: z.int().min(1).optional(),
      limit: z.int().min(1).max(200).default(50),
    }),
    result: z.object({ rollouts: z.array(rolloutSchema) }),
  },
  'deploys.get': { params: onRollout, result: z.object({ rollout: rolloutSchema, steps: z.array(rolloutStep) }) },
  /** Looks at every machine as it is now, and changes nothing. How far it has come is told by `deploys.planning`. */
  'deploys.plan': {
    params: z.strictObject({ planId, machineIds, maxUnavailable }),
    /** `looked` are fewer than the machines when it was stopped. */
    result: z.object({ machines: z.array(plannedMachine), looked: z.number().int() }),
  },
  /** Looks at no further machine; what was found until then is the plan's answer. */
  'deploys.stopPlan': { params: z.strictObject({ planId }), result: z.object({}) },
  'deploys.start': {
    params: z.strictObject({
      ...{ machineIds, tag, maxUnavailable, onFailure },
      /** Workers that have not drained in time are stopped, with the jobs they have. */
      force: z.boolean(),
    }),
    result: rolloutSchema,
  },
  'deploys.pause': { params: onRollout, result: rolloutSchema },
  'deploys.resume': { params: onRollout, result: rolloutSchema },
  'deploys.cancel': { params: onRollout, result: rolloutSchema },
  'deploys.retry': {
    params: z.strictObject({ rolloutId, machineIds, force: z.boolean() }),
    result: rolloutSchema,
  },
  /** Takes back what a rollout deployed, on all of its machines or on some. */
  'deploys.rollBack': {
    params: z.strictObject({ rolloutId, machineIds: machineIds.optional() }),
    result: rolloutSchema,
  },
  /** Takes back what is deployed on one machine, whoever deployed it. */
  'deploys.rollBackMachine': { params: z.strictObject({ machineId, force: z.boolean() }), result: rolloutSchema },

  'registry.list': { params: nothing, result: z.array(feedView) },
  'registry.set': { params: z.strictObject({ environment, config: feedConfig.nullable() }), result: feedView },
  /** The one moment a login crosses: a person types it in. */
  'registry.setLogin': {
    params: z.strictObject({
      environment,
      username: z.string().trim().min(1).max(256),
      password: z.string().min(1).max(8192),
    }),
    result: z.object({ kept: z.enum(['keychain', 'this-run']) }),
  },
  'registry.removeLogin': { params: z.strictObject({ environment }), result: feedView },
  /** Looks now, whatever the rhythm. */
  'registry.look': { params: z.strictObject({ environment }), result: feedView },
  'registry.dismiss': {
    params: z.strictObject({ environment, tag: z.string().max(128), digest: z.string().max(100) }),
    result: feedView,
  },
} as const

export const deployEvents = {
  /** Of each deploy its newest state, of each machine its newest step. */
  'deploys.changed': z.object({ rollouts: z.array(rolloutSchema), progress: z.array(legProgress) }),
  /** Of how many machines the plan knows by now. */
  'deploys.planning': z.object({ planId: z.string(), looked: z.number().int() }),
  'registry.changed': feedView,
} as const
