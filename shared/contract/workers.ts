import { z } from 'zod'
import { defineCall, defineEvent, openEnum } from './define.ts'

/** The containers that do jobs. Their state comes from their own status server and from Docker, both. */

export const workerStatuses = ['running', 'idle', 'busy', 'draining', 'stopped'] as const

export const workerView = z.object({
  workerId: z.string(),
  containerId: z.string(),
  containerName: z.string(),
  /** `running`: the container runs, but its own server does not say what it does. */
  status: openEnum(workerStatuses),
  activeJobs: z.number().int(),
  statusPort: z.number().int(),
  /** Milliseconds. */
  uptime: z.number(),
  image: z.string(),
  currentJob: z.string().nullable(),
})
export type WorkerView = z.infer<typeof workerView>

const workerId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'letters, digits, dot, dash and underscore only, 64 at most')
/** As GET /workers says it: another tool that made a worker may have called it anything. */
const listedId = z.string().min(1).max(255)
const workerAnswer = z.object({ success: z.boolean(), workerId: z.string(), message: z.string() })

export const listWorkers = defineCall({
  name: 'workers.list',
  method: 'GET',
  path: '/workers',
  access: 'secret',
  summary: 'Every worker.',
  result: () => z.array(workerView),
  problems: ['install-required'],
})

export const startWorker = defineCall({
  name: 'workers.start',
  method: 'POST',
  path: '/workers/start',
  access: 'secret',
  summary: 'Starts one more worker, from the image that is deployed.',
  params: () =>
    z.strictObject({
      workerId: workerId.optional(),
      maxConcurrentJobs: z.int().min(1).max(5).default(1),
      envOverrides: z
        .record(
          z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a name has letters, digits and underscore, and no digit first'),
          z.string().max(32_768),
        )
        .optional(),
    }),
  result: workerAnswer,
  successStatus: 201,
  problems: ['install-required', 'conflict', 'deploy-running', 'container-failed', 'docker-refused'],
  audit: 'start_worker',
})

export const stopWorker = defineCall({
  name: 'workers.stop',
  method: 'POST',
  path: '/workers/:id/stop',
  access: 'secret',
  summary: 'Stops a worker, after it has drained when graceful.',
  params: () => z.strictObject({ id: listedId, graceful: z.boolean().default(true) }),
  result: workerAnswer,
  problems: ['install-required', 'not-found', 'timeout', 'deploy-running', 'conflict', 'docker-refused'],
  audit: 'stop_worker',
})

export const drainWorker = defineCall({
  name: 'workers.drain',
  method: 'POST',
  path: '/workers/:id/drain',
  access: 'secret',
  summary: 'Stops a worker taking jobs.',
  params: () => z.strictObject({ id: listedId }),
  result: workerAnswer,
  problems: ['install-required', 'not-found', 'conflict'],
  audit: 'drain',
})

export const workerEvents = [defineEvent('worker', z.object({ worker: workerView, change: z.string() }))] as const
