import { Problem } from '../../shared/errors.ts'
import { labelNames, type ManagedContainer } from '../docker/managed.ts'
import type { ServicesFile } from './services-file.ts'
import type { Service, ServiceName } from './services-schema.ts'

/** An image for a service, as it is stored with the deploy: the id is what a rollback goes to. */
export interface PlannedImage {
  /** Repository and tag, for people. */
  name: string
  /** What it is pulled by where it is not on the machine; null where it came from no registry. */
  reference: string | null
  /** The digest of the very image; null until it has been found. */
  id: string | null
  repoDigest: string | null
}

/** One container to replace, in terms that still hold after a crash. */
export interface PlannedInstance {
  service: ServiceName
  name: string
  /** Where the old one answers. */
  port: number
  /** Where the new one shall answer, if elsewhere. */
  newPort?: number
  oldId: string | null
  wasAlive: boolean
}

export interface Plan {
  images: Partial<Record<ServiceName, PlannedImage>>
  previous: Partial<Record<ServiceName, PlannedImage>>
  /** In the order in which they start. */
  instances: PlannedInstance[]
  /** Old workers that were drained and have jobs still: to be restarted when these are done. */
  leftDraining?: readonly PlannedInstance[]
}

/**
 * What a deploy will replace: every container of a service that is alive, and the first of a service that has
 * none. A worker that a person stopped stays stopped.
 */
export function planInstances(files: ServicesFile, managed: readonly ManagedContainer[]): PlannedInstance[] {
  return files.inStartOrder().flatMap(({ service, spec }): PlannedInstance[] => {
    const own = managed.filter((container) => container.service === service)
    const alive = own.filter((container) => container.alive)
    const toPlan = (container: ManagedContainer) => ({
      service,
      name: container.name,
      port: container.port ?? spec.port,
      oldId: container.id,
      wasAlive: container.alive,
    })
    if (alive.length > 0) return alive.map((container) => ({ ...toPlan(container), ...moved(container, spec, alive) }))
    if (spec.create === 'if-present') return []
    const stopped = own.find((container) => container.name === spec.name)
    if (stopped !== undefined) return [{ ...toPlan(stopped), port: spec.port }]
    return [{ service, name: spec.name, port: spec.port, oldId: null, wasAlive: false }]
  })
}

/**
 * The first of a service goes where services.json was changed to; one that another tool made stays where that put it,
 * and so do further workers, which took the ports behind.
 */
function moved({ name, port, labels }: ManagedContainer, spec: Service, all: readonly ManagedContainer[]) {
  const declared = labels[labelNames.declaredPort]
  const isMeant = name === spec.name && declared !== undefined && declared !== String(spec.port)
  const isFree = all.every((other) => other.name === name || other.port !== spec.port)
  return isMeant && isFree && port !== spec.port ? { newPort: spec.port } : {}
}

/** The images a tag means, for each service that will be replaced. */
export function imagesFor(files: ServicesFile, instances: readonly PlannedInstance[], tag: string): Plan['images'] {
  const { image, services } = files.read()
  const isDigest = tag.startsWith('sha256:')
  return Object.fromEntries(
    instances.map(({ service }) => {
      const repository = services[service]?.image ?? image
      const reference = isDigest ? `${repository}@${tag}` : `${repository}:${tag}`
      return [service, { name: reference, reference, id: null, repoDigest: null } satisfies PlannedImage]
    }),
  )
}

/** Names that someone else's container has would stop the deploy halfway: better said before. */
export function refuseForeignNames(
  instances: readonly PlannedInstance[],
  containers: readonly { id: string; name: string }[],
): void {
  for (const { name, oldId } of instances) {
    const holder = containers.find((container) => container.name === name)
    if (holder !== undefined && holder.id !== oldId) {
      throw new Problem('conflict', `A container named ${name} exists that is not one of ours. Rename or remove it.`)
    }
  }
}

/** `v1` of `registry.example/team/ghosthands:v1`; the whole where there is no tag. */
export function tagOf(name: string): string {
  const digest = /sha256:[0-9a-f]{64}$/.exec(name)?.[0]
  return digest ?? /:([A-Za-z0-9_][A-Za-z0-9_.-]*)$/.exec(name)?.[1] ?? name
}
