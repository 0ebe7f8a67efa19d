import type { WorkerView } from '../../shared/contract/workers.ts'
import type { DockerEngine } from '../docker/engine.ts'
import type { Publish } from '../events/publish.ts'
import type { Log } from '../log.ts'
import type { HealthService, Snapshot } from './health.service.ts'

/** A worker says nothing of itself when it gets a job; it has to be asked. A console is right within 2 s then. */
const askWorkersMs = 1500
/** Without workers there is little that Docker's own events would not tell. */
const askEveryMs = 5000
/** A container that starts makes several events in a row. */
const settleMs = 150

export interface HealthWatch {
  service: HealthService
  engine: DockerEngine
  /** Calls back when a part that is no container may be well no more, or again; returns what ends it. */
  onTrouble: (listener: () => void) => () => void
  publish: Publish
  log: Log
}

/** Publishes an event when the health or a worker changes. Returns the way to stop. */
export function watchHealth({ service, engine, onTrouble, publish, log }: HealthWatch): () => void {
  let last: Snapshot | undefined
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let looking = false
  let again = false
  let stopped = false
  const look = async () => {
    // What changed while it looked may have been missed.
    again = looking
    if (looking || stopped) return
    looking = true
    try {
      const next = await service.snapshot()
      if (!stopped) tell(last, next, publish)
      last = next
    } catch (error) {
      // Nobody waits for this look; the next one, or whoever asks for the health, will see the same.
      if (!stopped) log('warn', 'the health could not be looked at', { error: String(error) })
    } finally {
      looking = false
      schedule(again ? settleMs : last === undefined || last.workers.length === 0 ? askEveryMs : askWorkersMs)
    }
  }
  const schedule = (ms: number) => {
    const due = performance.now() + ms
    // One that comes sooner is kept: a stream of events must not put the look off for ever.
    if (stopped || due >= dueAt) return
    clearTimeout(timer)
    dueAt = due
    timer = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY
      void look()
    }, ms).unref()
  }
  const stopEvents = engine.onEvent(() => schedule(settleMs))
  const stopChanges = engine.onChange(() => schedule(0))
  const stopTrouble = onTrouble(() => schedule(0))
  schedule(askEveryMs)
  return () => {
    stopped = true
    clearTimeout(timer)
    stopEvents()
    stopChanges()
    stopTrouble()
  }
}

function tell(last: Snapshot | undefined, next: Snapshot, publish: Publish): void {
  const reason = next.reasons.join(' ')
  const before = last === undefined ? 'ok' : `${last.health.status} ${last.reasons.join(' ')}`.trim()
  if (before !== `${next.health.status} ${reason}`.trim()) publish('health', { status: next.health.status, reason })
  const known = new Map((last?.workers ?? []).map((worker) => [worker.containerName, worker]))
  for (const worker of next.workers) {
    const old = known.get(worker.containerName)
    known.delete(worker.containerName)
    const change = old === undefined ? 'appeared' : changeOf(old, worker)
    // The first look finds workers that were there all along.
    if (change !== undefined && last !== undefined) publish('worker', { worker, change })
  }
  // Without an engine nobody knows what the workers do; they have not gone.
  if (next.health.workerStatus === 'unknown') return
  for (const worker of known.values())
    publish('worker', { worker: { ...worker, status: 'stopped' }, change: 'removed' })
}

function changeOf(old: WorkerView, now: WorkerView): string | undefined {
  if (old.containerId !== now.containerId) return 'replaced'
  if (old.status !== now.status) return now.status
  if (old.activeJobs !== now.activeJobs || old.currentJob !== now.currentJob) return 'jobs'
  return undefined
}
