import type { ContainerInfo } from 'dockerode'
import type { ContainerView } from '../../shared/contract/docker.ts'
import { Problem } from '../../shared/errors.ts'
import type { Handlers } from '../server/handlers.ts'
import { ContainerLoads } from './container-load.ts'
import { labelNames } from './managed.ts'
import type { OneAtATime } from './one-at-a-time.ts'
import type { DockerOperations } from './operations.ts'

type Names = 'containers.list' | 'containers.stats' | 'containers.restart' | 'containers.stop' | 'containers.start'

export interface ContainersRouteParts {
  docker: DockerOperations
  /** How long a container may take to end; by its service where it is one of ours. */
  stopLimitMs: (service: string | undefined) => number
  lock: OneAtATime
  refuseDuringDeploy: () => void
}

export function containersRoutes({
  docker,
  stopLimitMs,
  lock,
  refuseDuringDeploy,
}: ContainersRouteParts): Pick<Handlers, Names> {
  const loads = new ContainerLoads(docker)
  const find = async (id: string): Promise<ContainerInfo> => {
    const all = await docker.listContainers()
    const found = all.find((info) => info.Id === id || info.Names.includes(`/${id}`)) ?? onlyOne(all, id)
    if (found === undefined)
      throw new Problem('not-found', `There is no container "${id}". GET /containers lists them.`)
    return found
  }
  /** Acts on the one container that is meant and says how it is afterwards. */
  const act = async (id: string, work: (container: string, limitMs: number) => Promise<void>) => {
    const found = await find(id)
    const service = found.Labels?.[labelNames.managed] === 'true' ? found.Labels[labelNames.service] : undefined
    const move = () => work(found.Id, stopLimitMs(service))
    if (service === undefined) await move()
    else {
      // A deploy must be the only one to move the containers it is about; one that begins now waits for this.
      refuseDuringDeploy()
      await lock.run(move)
    }
    const after = (await docker.listContainers()).find(({ Id }) => Id === found.Id)
    // Docker removes some of itself once they have ended (`--rm`).
    return after === undefined ? { ...toView(found), state: 'removed', status: 'Removed' } : toView(after)
  }
  return {
    'containers.list': async () => (await docker.listContainers()).map(toView),
    'containers.stats': () => loads.read(),
    'containers.restart': ({ id }) => act(id, (container, limitMs) => docker.restartContainer(container, limitMs)),
    'containers.stop': ({ id }) => act(id, (container, limitMs) => docker.stopContainer(container, limitMs)),
    'containers.start': ({ id }) => act(id, (container) => docker.startContainer(container)),
  }
}

/** A shortened id means a container only where it means no other. */
function onlyOne(all: readonly ContainerInfo[], id: string): ContainerInfo | undefined {
  const found = id.length < 6 ? [] : all.filter((info) => info.Id.startsWith(id))
  return found.length === 1 ? found[0] : undefined
}

function toView(info: ContainerInfo): ContainerView {
  const labels = info.Labels ?? {}
  return {
    id: info.Id,
    name: (info.Names[0] ?? '').replace(/^\//, ''),
    // Ours are made from an image's id, so that a moved tag changes nothing; people know it by its name.
    image: labels[labelNames.image] ?? info.Image,
    status: info.Status,
    state: info.State,
    ports: info.Ports.map((port) => ({
      privatePort: port.PrivatePort,
      publicPort: port.PublicPort ?? null,
      type: port.Type,
      ip: port.IP ?? null,
    })),
    createdAt: new Date(info.Created * 1000).toISOString(),
    labels,
  }
}
