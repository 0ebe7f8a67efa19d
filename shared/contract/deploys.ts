import { z } from 'zod'
import { defineCall, defineEvent, openEnum, sinceVersion } from './define.ts'

/** A new image for the machine's services: drained, replaced in order, proved healthy, or put back. */

/** An image tag as Docker defines it; a digest (`sha256:…`) names an image that a tag may have left. */
const imageTag = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|sha256:[0-9a-f]{64})$/,
    'must be an image tag such as v1.2.3, or a digest such as sha256:0123…, without the name of the image',
  )

export const deployStatuses = ['pending', 'deploying', 'completed', 'failed', 'rolled_back', 'cancelled'] as const
export const deploySteps = ['pull', 'drain', 'stop', 'start', 'health', 'cleanup', 'restore', 'done'] as const
export type DeployStep = (typeof deploySteps)[number]

const force = sinceVersion(
  z.boolean().default(false).describe('Stop workers that have not drained in time, with the jobs they have'),
  '0.1.0',
)

const deployAnswer = z.object({
  success: z.boolean(),
  message: z.string(),
  imageTag: z.string(),
  elapsedMs: z.number(),
})

export const deployRecord = z.object({
  id: z.number().int(),
  imageTag: z.string(),
  digest: z.string().nullable(),
  previousTag: z.string().nullable(),
  previousDigest: z.string().nullable(),
  kind: openEnum(['deploy', 'rollback']),
  status: openEnum(deployStatuses),
  step: openEnum(deploySteps),
  operator: z.string().nullable(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  errorMessage: z.string().nullable(),
})
export type DeployRecord = z.infer<typeof deployRecord>

export const deploy = defineCall({
  name: 'deploys.deploy',
  method: 'POST',
  path: '/deploy',
  access: 'secret',
  summary: 'Deploys an image. Answers when it is healthy, or when the old one is back.',
  params: () =>
    z.strictObject({
      image_tag: imageTag,
      force,
    }),
  result: deployAnswer,
  problems: ['deploy-running', 'install-required', 'conflict', 'deploy-failed', 'docker-refused', 'timeout'],
  audit: 'deploy',
})

export const rollback = defineCall({
  name: 'deploys.rollback',
  method: 'POST',
  path: '/rollback',
  access: 'secret',
  summary: 'The previous image, by the digest that was recorded, by the same steps.',
  params: () => z.strictObject({ force }),
  result: deployAnswer,
  problems: ['deploy-running', 'install-required', 'conflict', 'deploy-failed', 'docker-refused', 'timeout'],
  audit: 'rollback',
})

export const cancelDeploy = defineCall({
  name: 'deploys.cancel',
  method: 'POST',
  path: '/deploy/cancel',
  access: 'secret',
  summary: 'Stops the running deploy at its next safe point and restores what was.',
  result: () => z.object({ success: z.boolean(), message: z.string() }),
  problems: ['conflict'],
  audit: 'stop',
  auditSubject: 'deploy',
})

export const listDeploys = defineCall({
  name: 'deploys.list',
  method: 'GET',
  path: '/deploys',
  access: 'secret',
  summary: "The machine's own deploys, newest first.",
  params: () =>
    z.strictObject({
      page: z.int().min(1).max(1_000_000_000).default(1),
      pageSize: z.int().min(1).max(200).default(50),
    }),
  result: () =>
    z.object({
      deploys: z.array(deployRecord),
      page: z.number().int(),
      pageSize: z.number().int(),
      total: z.number().int(),
    }),
})

export const build = defineCall({
  name: 'deploys.build',
  method: 'POST',
  path: '/build',
  access: 'secret',
  summary: 'Builds the image from the folder that services.json names; its output comes as events.',
  params: () => z.strictObject({ tag: imageTag.optional() }),
  result: deployAnswer,
  problems: ['install-required', 'conflict', 'deploy-failed', 'docker-refused'],
  audit: 'build',
})

export const drain = defineCall({
  name: 'deploys.drain',
  method: 'POST',
  path: '/drain',
  access: 'secret',
  summary: 'Stops workers taking jobs: one, or all.',
  params: () => z.strictObject({ worker_id: z.string().min(1).max(255).optional() }),
  result: () => z.object({ success: z.boolean(), drainedWorkers: z.number().int(), message: z.string() }),
  problems: ['not-found', 'install-required', 'conflict'],
  audit: 'drain',
})

export const deployEvents = [
  defineEvent(
    'deploy_step',
    z.object({
      deployId: z.number().int(),
      imageTag: z.string(),
      step: openEnum(deploySteps),
      status: openEnum(['started', 'progress', 'done', 'failed']),
      service: z.string().nullable(),
      message: z.string(),
      /** 0 to 1: how much of the whole is behind it. */
      progress: z.number(),
    }),
  ),
  defineEvent(
    'deploy_finished',
    z.object({
      deployId: z.number().int(),
      imageTag: z.string(),
      status: openEnum(deployStatuses),
      message: z.string(),
    }),
  ),
  defineEvent('build_output', z.object({ imageTag: z.string(), text: z.string() })),
] as const
