import type { Handlers } from '../server/handlers.ts'
import type { WorkersService } from './workers.service.ts'

type Names = 'workers.list' | 'workers.start' | 'workers.stop' | 'workers.drain' | 'deploys.drain'

export function workersRoutes(workers: WorkersService): Pick<Handlers, Names> {
  return {
    'workers.list': () => workers.list(),
    'workers.start': async (params, context) => {
      const { workerId, port } = await workers.start(params)
      context.note({ workerId, port })
      return { success: true, workerId, message: `Worker ${workerId} runs; its status is on port ${port}.` }
    },
    'workers.stop': async ({ id, graceful }) => {
      await workers.stop(id, graceful)
      return { success: true, workerId: id, message: `Worker ${id} is stopped.` }
    },
    'workers.drain': async ({ id }) => {
      await workers.drain(id)
      return { success: true, workerId: id, message: `Worker ${id} takes no new jobs.` }
    },
    'deploys.drain': async ({ worker_id }) => {
      if (worker_id !== undefined) {
        await workers.drain(worker_id)
        return { success: true, drainedWorkers: 1, message: `Worker ${worker_id} takes no new jobs.` }
      }
      const { drained, silent } = await workers.drainAll()
      const unheard = silent.length === 0 ? '' : ` Not heard by: ${silent.join(', ')}; see their logs.`
      return {
        success: silent.length === 0,
        drainedWorkers: drained.length,
        message: `${drained.length} of ${drained.length + silent.length} workers take no new jobs.${unheard}`,
      }
    },
  }
}
