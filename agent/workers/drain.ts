import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import type { Service } from '../deploys/services-schema.ts'
import { askDrain, askStatus } from './own-server.ts'

const askEveryMs = 250
/** A worker in the middle of something may miss one question. */
const drainTries = 3

export type DrainEnd =
  | { kind: 'drained' }
  | { kind: 'busy'; activeJobs: number }
  /** Its own server does not answer: nobody can say whether it has a job. */
  | { kind: 'silent' }

/** Tells a worker to take no more jobs; whether it has heard. */
export async function beginDrain(port: number, path: string): Promise<boolean> {
  for (let attempt = 0; attempt < drainTries; attempt++) {
    if (attempt > 0) await sleep(askEveryMs)
    if (await askDrain(port, path)) return true
  }
  return false
}

/** Drains a worker and waits until it has no job left, at most as long as services.json says. */
export async function drainAndWait(port: number, spec: Service, signal?: AbortSignal): Promise<DrainEnd> {
  if (spec.drain === undefined) return { kind: 'drained' }
  if (!(await beginDrain(port, spec.drain.path))) return { kind: 'silent' }
  const deadline = performance.now() + spec.drain.limitMs
  for (;;) {
    signal?.throwIfAborted()
    const own = await askStatus(port, spec.drain.statusPath)
    if (own?.active_jobs === 0) return { kind: 'drained' }
    if (performance.now() >= deadline) {
      return own === undefined ? { kind: 'silent' } : { kind: 'busy', activeJobs: own.active_jobs }
    }
    await sleep(askEveryMs, undefined, signal === undefined ? {} : { signal })
  }
}

/** Why a worker may not be stopped yet, and what to do. */
export function notDrained(workerId: string, end: Exclude<DrainEnd, { kind: 'drained' }>, next: string): Problem {
  if (end.kind === 'busy') {
    const jobs = end.activeJobs === 1 ? '1 job' : `${end.activeJobs} jobs`
    return new Problem('timeout', `Worker ${workerId} still has ${jobs}; it takes no new ones. ${next}`, {
      workerId,
      activeJobs: end.activeJobs,
    })
  }
  return new Problem('timeout', `Worker ${workerId} does not answer, so nobody knows whether it has a job. ${next}`, {
    workerId,
  })
}
