import { Problem } from '../../shared/errors.ts'
import type { DockerOperations } from '../docker/operations.ts'
import type { Containers } from '../workers/containers.ts'
import { type Plan, type PlannedImage, planInstances, refuseForeignNames } from './plan.ts'
import type { ServicesFile } from './services-file.ts'
import type { ServiceName } from './services-schema.ts'

/** Looks at what runs now: what will be replaced, and which images to go back to. The new images are still to be chosen. */
export async function makePlan(parts: {
  files: ServicesFile
  containers: Containers
  docker: DockerOperations
}): Promise<Plan> {
  const { files, containers, docker } = parts
  const managed = await containers.managed()
  const instances = planInstances(files, managed)
  if (instances.length === 0) {
    throw new Problem('conflict', 'services.json names nothing to deploy. Add a service to it.')
  }
  // Every new container gets its variables: a file that cannot be read is better told of before anything is stopped.
  files.env()
  const all = await docker.listContainers()
  refuseForeignNames(
    instances,
    all.flatMap(({ Id, Names }) => Names.map((name) => ({ id: Id, name: name.replace(/^\//, '') }))),
  )
  const previous: Plan['previous'] = {}
  for (const { service, oldId } of instances) {
    const old = managed.find(({ id }) => id === oldId)
    if (old === undefined || previous[service] !== undefined) continue
    const repoDigest = (await docker.inspectImage(old.imageId))?.repoDigest ?? null
    previous[service] = { id: old.imageId, name: old.image, reference: repoDigest, repoDigest }
  }
  return { images: {}, previous, instances }
}

/**
 * The images that ran before these, from plans with the newest first. A deploy of what ran already, such as a restart
 * for changed variables, is no step to go back by.
 */
export function imagesBefore(images: Plan['images'], plans: Iterable<Plan>): Plan['previous'] {
  const isOther = (earlier: Plan['images']) =>
    Object.entries(earlier).some(([service, { id }]) => {
      const now = images[service as ServiceName]
      return now !== undefined && now.id !== id
    })
  let found: Plan['previous'] | undefined
  for (const plan of plans) {
    for (const earlier of [plan.images, plan.previous]) {
      if (found !== undefined) found = { ...earlier, ...found }
      else if (isOther(earlier)) found = earlier
    }
    // One of which nothing was left just then ran before: without it a rollback would be one of the others only.
    const isWhole = Object.keys(images).every((service) => found?.[service as ServiceName] !== undefined)
    if (found !== undefined && isWhole) return found
  }
  return found ?? {}
}

/** Only services whose image is recorded: another's would be a guess. */
export function useRecorded(plan: Plan, images: Partial<Record<ServiceName, PlannedImage>>): void {
  plan.instances = plan.instances.filter(({ service }) => images[service] !== undefined)
  plan.images = { ...images }
}
