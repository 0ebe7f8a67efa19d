import type { EngineStore } from '../engines/store.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { Handlers } from '../server/handlers.ts'
import { HatchetWorker } from './hatchet-worker.ts'
import { JobsService } from './jobs.service.ts'
import type { JobTools } from './steps.ts'

export interface Jobs {
  readonly runningId: string | null
  handlers: Pick<Handlers, 'jobs.start' | 'jobs.get' | 'jobs.list'>
  /** What Hatchet gives this machine to do, where there is one. */
  readonly hatchet: HatchetWorker
  close(): Promise<void>
}

export interface JobsOptions extends JobTools {
  store: EngineStore
  publish: Publish
  log: Log
  hatchetToken: string | undefined
  /** Where the browser can be driven from, for whoever may; null while nothing listens on a port. */
  cdpUrl: () => string | null
}

/** The jobs of this machine, and the calls that start and show them. */
export function createJobs({ store, publish, log, hatchetToken, cdpUrl, ...tools }: JobsOptions): Jobs {
  const jobs = new JobsService(tools, store.database, publish)
  const hatchet = new HatchetWorker({
    ...{ jobs, token: hatchetToken, log },
    browser: () => ({ cdpUrl: cdpUrl(), profile: tools.browser.session?.options.contextId ?? null }),
  })
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
    hatchet,
    async close() {
      await hatchet.stop()
      await jobs.close()
    },
  }
}
