import type { ContainerSpec } from '../docker/container-body.ts'
import { labelNames } from '../docker/managed.ts'
import type { Service, ServiceName, Services } from './services-schema.ts'

/** One container of a service: what tells it from the others of the same service. */
export interface Instance {
  service: ServiceName
  name: string
  port: number
  workerId?: string | undefined
  maxJobs?: number | undefined
  overrides: ReadonlyMap<string, string>
}

export interface ImageRef {
  /** What Docker is told to run: always the very image that was found, whatever its tag says by then. */
  id: string
  /** Repository and tag, for people. */
  name: string
}

/** The container of an instance, from services.json, the env file and what is special about this one. */
export function instanceSpec(
  instance: Instance,
  spec: Service,
  services: Services,
  envFile: ReadonlyMap<string, string>,
  image: ImageRef,
  deployId: number | undefined,
): ContainerSpec {
  const { service, name, port, workerId, maxJobs, overrides } = instance
  const env = new Map<string, string>([
    ...Object.entries(spec.env),
    ...(spec.envFile ? envFile : []),
    ...overrides,
    ['GH_SERVICE', service],
  ])
  if (spec.portVariable !== undefined) env.set(spec.portVariable, String(port))
  if (workerId !== undefined) env.set(services.workerIdVariable, workerId)
  if (maxJobs !== undefined) env.set(services.maxJobsVariable, String(maxJobs))
  return {
    name,
    image: image.id,
    command: spec.command,
    env,
    labels: {
      [labelNames.managed]: 'true',
      [labelNames.service]: service,
      [labelNames.port]: String(port),
      [labelNames.declaredPort]: String(spec.port),
      [labelNames.image]: image.name,
      ...(deployId === undefined ? {} : { [labelNames.deploy]: String(deployId) }),
      ...(workerId === undefined ? {} : { [labelNames.worker]: workerId }),
      ...(maxJobs === undefined ? {} : { [labelNames.maxJobs]: String(maxJobs) }),
      ...(overrides.size === 0 ? {} : { [labelNames.overrides]: [...overrides.keys()].join(',') }),
    },
    network: spec.network,
    ports: [{ container: port, host: port, address: '127.0.0.1', protocol: 'tcp' }, ...spec.ports],
    stopLimitMs: spec.stopLimitMs,
    shmMb: spec.shmMb,
    memoryMb: spec.memoryMb,
  }
}

/** What was special about a container, read back from it, so that its successor is the same. */
export function instanceOf(
  container: { name: string; labels: Record<string, string>; env: ReadonlyMap<string, string> },
  service: ServiceName,
  port: number,
): Instance {
  const { labels, env, name } = container
  const keys = (labels[labelNames.overrides] ?? '').split(',').filter((key) => key !== '')
  const maxJobs = Number(labels[labelNames.maxJobs])
  return {
    service,
    name,
    port,
    workerId: labels[labelNames.worker] ?? (service === 'worker' ? name : undefined),
    maxJobs: Number.isInteger(maxJobs) && maxJobs > 0 ? maxJobs : undefined,
    overrides: new Map(keys.flatMap((key) => (env.has(key) ? [[key, env.get(key) ?? '']] : []))),
  }
}
