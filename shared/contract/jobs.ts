import { z } from 'zod'
import { platforms } from '../domain/platforms.ts'
import { defineCall, defineEvent, openEnum } from './define.ts'

/** A job application, from the browser's start to the check that it arrived. */

export const jobSteps = [
  'start-browser',
  'analyze-form',
  'fill-fields',
  'upload-resume',
  'check-captcha',
  'submit',
  'verify',
  'cleanup',
] as const
export type JobStepName = (typeof jobSteps)[number]

export const jobView = z.object({
  id: z.string(),
  url: z.string(),
  state: openEnum(['running', 'succeeded', 'failed', 'interrupted']),
  platform: openEnum(platforms),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  steps: z.array(
    z.object({
      step: openEnum(jobSteps),
      state: openEnum(['pending', 'running', 'done', 'skipped', 'failed']),
      startedAt: z.string().nullable(),
      durationMs: z.number().nullable(),
      detail: z.string(),
    }),
  ),
  error: z.string().nullable(),
})
export type JobView = z.infer<typeof jobView>

export const startJob = defineCall({
  name: 'jobs.start',
  method: 'POST',
  path: '/v1/jobs',
  access: 'secret',
  summary: 'Runs the seven steps of a job application on this machine; answers at once.',
  params: () =>
    z.strictObject({
      url: z.string().min(1).max(8192),
      /** What to fill in, by the label or the name of the field. */
      fields: z.record(z.string().min(1).max(200), z.string().max(4000)).default({}),
      resume: z.string().min(1).max(255).optional().describe('A file in the upload folder'),
      platform: z.enum(platforms).optional(),
      headless: z.boolean().default(false),
      /** A text that the page shows when the application has arrived. */
      expect: z.string().min(1).max(500).optional(),
    }),
  result: jobView,
  successStatus: 201,
  problems: ['conflict', 'held-by-operator', 'invalid-url', 'forbidden', 'not-found'],
  audit: 'start',
  secretParams: ['fields'],
})

export const getJob = defineCall({
  name: 'jobs.get',
  method: 'GET',
  path: '/v1/jobs/:id',
  access: 'secret',
  summary: 'One job with its steps.',
  params: () => z.strictObject({ id: z.string().min(1).max(100) }),
  result: jobView,
  problems: ['not-found'],
})

export const listJobs = defineCall({
  name: 'jobs.list',
  method: 'GET',
  path: '/v1/jobs',
  access: 'secret',
  summary: 'The last jobs, the newest first.',
  params: () => z.strictObject({ limit: z.int().min(1).max(500).default(50) }),
  result: () => z.object({ jobs: z.array(jobView) }),
})

export const jobCalls = [startJob, getJob, listJobs] as const
export const jobEvents = [
  defineEvent(
    'job_step',
    z.object({ jobId: z.string(), step: openEnum(jobSteps), state: z.string(), detail: z.string() }),
  ),
  defineEvent('job_ended', z.object({ jobId: z.string(), state: z.string(), error: z.string().nullable() })),
] as const
