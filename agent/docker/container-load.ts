import os from 'node:os'
import type { ContainerStats } from 'dockerode'
import type { CallResult } from '../../shared/contract/index.ts'
import type { DockerOperations } from './operations.ts'

type Load = CallResult<'containers.stats'>[number] & { name: string }

interface Look {
  at: number
  cpuNs: number
}

/** A paused one takes no time, and all its memory. */
const taking = new Set(['running', 'paused'])

/** What each container that runs or is paused takes, since it was last asked; nothing is measured while nobody asks. */
export class ContainerLoads {
  readonly #docker: Pick<DockerOperations, 'listContainers' | 'containerStats'>
  #last = new Map<string, Look>()

  constructor(docker: Pick<DockerOperations, 'listContainers' | 'containerStats'>) {
    this.#docker = docker
  }

  async read(): Promise<Load[]> {
    const running = (await this.#docker.listContainers()).filter(({ State }) => taking.has(State))
    const looks = new Map<string, Look>()
    const loads = await Promise.all(
      running.map(async ({ Id, Names }) => {
        const stats = await this.#docker.containerStats(Id)
        if (stats === undefined) return []
        const look = { at: performance.now(), cpuNs: stats.cpu_stats?.cpu_usage?.total_usage ?? 0 }
        looks.set(Id, look)
        const name = (Names[0] ?? '').replace(/^\//, '')
        return [{ id: Id, name, cpuPercent: cpuPercent(this.#last.get(Id), look), ...memoryOf(stats) }]
      }),
    )
    this.#last = looks
    return loads.flat()
  }
}

export function cpuPercent(before: Look | undefined, now: Look, cores = os.cpus().length): number | null {
  // A container that was restarted counts from zero again.
  if (before === undefined || now.at <= before.at || now.cpuNs < before.cpuNs) return null
  return Math.round(((now.cpuNs - before.cpuNs) / 1e6 / (now.at - before.at) / cores) * 1000) / 10
}

/** Without the page cache, which the kernel takes back when it is needed. */
export function memoryOf({ memory_stats: memory }: Pick<ContainerStats, 'memory_stats'>, total = os.totalmem()) {
  // In the first version of cgroups the usage is of all below as well, and the cache without `total` is not.
  const cache = memory?.stats?.total_inactive_file ?? memory?.stats?.inactive_file ?? 0
  const used = Math.max(0, (memory?.usage ?? 0) - cache)
  const limit = memory?.limit ?? 0
  return { memoryMb: toMb(used), memoryLimitMb: limit > 0 && limit < total ? toMb(limit) : null }
}

const toMb = (bytes: number) => Math.round((bytes / 2 ** 20) * 10) / 10
