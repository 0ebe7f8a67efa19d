import type { ContainerInfo } from 'dockerode'

/** How a container says what it is. Existing fleets know the first two. */
export const labelNames = {
  managed: 'gh.managed',
  service: 'gh.service',
  port: 'gh.port',
  /** The port that services.json named then: where it names another one now, a person has changed it. */
  declaredPort: 'gh.declared-port',
  /** The image as a person knows it: repository and tag. */
  image: 'gh.image',
  /** The deploy that made it: how a half-made container is found again after a crash. */
  deploy: 'gh.deploy',
  worker: 'gh.worker',
  maxJobs: 'gh.max-jobs',
  /** Names of the variables that this one worker was given; the values are in its environment. */
  overrides: 'gh.overrides',
} as const

export interface ManagedContainer {
  id: string
  name: string
  service: string
  /** One that is paused runs as well: it has its jobs, and nobody knows which. */
  running: boolean
  /** Paused: whoever asks it anything waits for nothing. */
  frozen: boolean
  /** It runs, or Docker is about to start it again: something that a deploy has to replace. */
  alive: boolean
  imageId: string
  image: string
  labels: Record<string, string>
  /** The port of its own server, where it or Docker says so. */
  port: number | undefined
  /** The ports of this machine that lead to ports of the container. */
  published: ReadonlyMap<number, number>
  createdAt: number
}

const asideMark = '.aside-'

/** The name under which a deploy keeps the old container until the new one has proved itself. */
export function asideName(name: string, deployId: number): string {
  return `${name}${asideMark}${deployId}`
}

const asideForStartMark = `${asideMark}start`

/** The name under which a stopped worker is kept while another is started in its place. */
export function asideForStart(name: string): string {
  return `${name}${asideForStartMark}`
}

/** The name that such a worker had; undefined for any other container. */
export function nameBeforeStart(name: string): string | undefined {
  return name.endsWith(asideForStartMark) ? name.slice(0, -asideForStartMark.length) : undefined
}

export function isAside(name: string): boolean {
  return name.includes(asideMark)
}

/** One of ours, from a line of Docker's list; undefined for a container that is not. */
export function toManaged(info: ContainerInfo): ManagedContainer | undefined {
  const labels = info.Labels ?? {}
  const service = labels[labelNames.service]
  if (labels[labelNames.managed] !== 'true' || service === undefined) return undefined
  const published = new Map(
    info.Ports.flatMap(({ PrivatePort, PublicPort }) => (PublicPort === undefined ? [] : [[PrivatePort, PublicPort]])),
  )
  const labelled = Number(labels[labelNames.port])
  // A container that Docker is about to start again is not one that runs.
  const running = info.State === 'running' || info.State === 'paused'
  return {
    id: info.Id,
    name: (info.Names[0] ?? '').replace(/^\//, ''),
    service,
    running,
    frozen: info.State === 'paused',
    alive: running || info.State === 'restarting',
    imageId: info.ImageID,
    image: labels[labelNames.image] ?? info.Image,
    labels,
    port: Number.isInteger(labelled) && labelled > 0 ? labelled : undefined,
    published,
    createdAt: info.Created,
  }
}

export function workerIdOf(container: Pick<ManagedContainer, 'labels' | 'name'>): string {
  return container.labels[labelNames.worker] ?? container.name
}
