import type { EngineStore } from '../engines/store.ts'
import type { Publish } from '../events/publish.ts'
import type { Handlers } from '../server/handlers.ts'
import { JobsService } from './jobs.service.ts'
import type { JobTools } from './steps.ts'

export interface Jobs {
  readonly runningId: string | null
  handlers: Pick<Handlers, 'jobs.start' | 'jobs.get' | 'jobs.list'>
  close(): Promise<void>
}

/** The jobs of this machine, and the calls that start and show them. */
export function createJobs({ store, publish, ...tools }: JobTools & { store: EngineStore; publish: Publish }): Jobs {
  const jobs = new JobsService(tools, store.database, publish)
  return {
    get runningId() {
      return jobs.runningId
    },
    handlers: {
      'jobs.start': (params, context) => {
        const job = jobs.start(params)
        context.note({ jobId: job.id, fields: Object.keys(params.fields) })
        return job
      },
      'jobs.get': ({ id }) => jobs.get(id),
      'jobs.list': ({ limit }) => ({ jobs: jobs.list(limit) }),
    },
    close: () => jobs.close(),
  }
}
