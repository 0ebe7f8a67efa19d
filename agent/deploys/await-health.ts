import { setTimeout as sleep } from 'node:timers/promises'
import type { DockerOperations } from '../docker/operations.ts'
import { askHealthy } from '../workers/own-server.ts'
import type { Service } from './services-schema.ts'

const askEveryMs = 200
/** Docker starts a container that ended again and again; after this many times it will not get well. */
const maxRestarts = 3
const keptLines = 30

/** Why a container did not become healthy, with what it last said. */
export class Unhealthy extends Error {
  readonly lastLines: readonly string[]
  constructor(message: string, lastLines: readonly string[]) {
    super(message)
    this.name = 'Unhealthy'
    this.lastLines = lastLines
  }
}

export interface AwaitedContainer {
  id: string
  name: string
  port: number
  /** The container whose place it takes, and whose answer must not count for it. */
  oldId?: string | null
}

/** A container that was well: what it still has to be a moment later. */
export interface Proved {
  id: string
  name: string
  /** Since when it runs; another time means that it has ended meanwhile. */
  startedAt: string
}

/**
 * Waits until a container runs and its own server says that it is well; throws `Unhealthy` when it does not get there.
 */
export async function awaitHealth(
  docker: Pick<DockerOperations, 'inspectContainer' | 'lastLines'>,
  container: AwaitedContainer,
  spec: Service,
  signal: AbortSignal | undefined,
): Promise<Proved> {
  const deadline = performance.now() + spec.health.limitMs
  const give = async (why: string) => new Unhealthy(why, await docker.lastLines(container.id, keptLines))
  for (;;) {
    signal?.throwIfAborted()
    const answered = await askHealthy(container.port, spec.health.path)
    const state = await docker.inspectContainer(container.id)
    if (state === undefined) throw new Unhealthy(`${container.name} disappeared.`, [])
    const old = container.oldId == null ? undefined : await docker.inspectContainer(container.oldId)
    // Asked after the answer: whoever answered on that port, it was not a container that does not run.
    if (answered && state.running && old?.running !== true)
      return { id: container.id, name: container.name, startedAt: state.startedAt }
    if (state.restarts >= maxRestarts) {
      throw await give(`${container.name} ends again and again (exit code ${state.exitCode}).`)
    }
    if (performance.now() >= deadline) {
      if (old?.running === true)
        throw await give(`The old ${container.name} was started again by someone else, and may have its port.`)
      throw await give(
        state.running
          ? `${container.name} runs, but ${spec.health.path} on port ${container.port} was not healthy within ${spec.health.limitMs / 1000} s.`
          : `${container.name} does not run (exit code ${state.exitCode}).`,
      )
    }
    await sleep(askEveryMs)
  }
}

/**
 * Looks once more, a moment later. One that ends right after its start may have been taken for well: something else on
 * the machine may have its port and have answered in its place.
 */
export async function stillRuns(
  docker: Pick<DockerOperations, 'inspectContainer' | 'lastLines'>,
  proved: readonly Proved[],
  signal: AbortSignal | undefined,
  settleMs = 1000,
): Promise<void> {
  if (proved.length === 0) return
  await sleep(settleMs, undefined, signal === undefined ? {} : { signal })
  for (const { id, name, startedAt } of proved) {
    const state = await docker.inspectContainer(id)
    if (state === undefined) throw new Unhealthy(`${name} disappeared.`, [])
    if (state.running && state.startedAt === startedAt) continue
    const why = `${name} ended a moment after its port had answered (exit code ${state.exitCode}).`
    throw new Unhealthy(why, await docker.lastLines(id, keptLines))
  }
}
