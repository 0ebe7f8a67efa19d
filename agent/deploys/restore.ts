import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../shared/errors.ts'
import { labelNames } from '../docker/managed.ts'
import { askStatus } from '../workers/own-server.ts'
import { awaitHealth, Unhealthy } from './await-health.ts'
import { instanceOf, instanceSpec } from './instance.ts'
import type { DeployJournal } from './journal.ts'
import type { PlannedInstance } from './plan.ts'
import type { DeployParts } from './run-deploy.ts'

const defaultStopLimitMs = 15_000
/** A disk can take this long to make a container. */
const lateLimitMs = 120_000
const askEveryMs = 500

/**
 * Puts back what was before a deploy, from wherever it stopped: it goes by what Docker has, not by what was
 * meant to happen, so that it can be run again after a crash in its own middle. Returns what a person must know.
 */
export async function restore(parts: DeployParts, journal: DeployJournal): Promise<string[]> {
  const { plan, id } = journal.deploy
  await removeNew(parts, journal)
  const notes: string[] = []
  const back: PlannedInstance[] = []
  const draining: PlannedInstance[] = []
  for (const instance of plan.instances) {
    if (instance.oldId === null) continue
    try {
      const { touched, isDraining, note, anewId } = await journal.take('restore', 'put-back', instance, () =>
        putBack(parts, journal, instance),
      )
      if (touched) back.push(anewId === undefined ? instance : { ...instance, oldId: anewId })
      if (isDraining === true) draining.push(instance)
      if (note !== undefined) notes.push(note)
    } catch (error) {
      // One that cannot be put back must not keep the others from coming back.
      if (!(await dockerAnswers(parts))) throw error
      notes.push(`${instance.name} could not be put back: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  plan.leftDraining = [...(plan.leftDraining ?? []), ...draining]
  parts.store.savePlan(id, plan)
  for (const instance of back) {
    const note = await proveOld(parts, journal, instance)
    if (note !== undefined) notes.push(note)
  }
  return notes
}

async function removeNew(parts: DeployParts, journal: DeployJournal): Promise<void> {
  const made = await parts.docker.listContainers([`${labelNames.deploy}=${journal.deploy.id}`])
  const oldIds = new Set(journal.deploy.plan.instances.map(({ oldId }) => oldId))
  for (const info of made.filter(({ Id }) => !oldIds.has(Id))) {
    const name = (info.Names[0] ?? '').replace(/^\//, '')
    const instance = journal.deploy.plan.instances.find((planned) => planned.name === name)
    const limitMs = instance === undefined ? undefined : specOf(parts, instance)?.stopLimitMs
    await journal.take('restore', 'remove', instance ?? { service: 'worker', name }, async () => {
      // It may have taken a job meanwhile: it is asked to end, not killed.
      await parts.docker.stopContainer(info.Id, limitMs ?? defaultStopLimitMs).catch(() => {})
      await parts.docker.removeContainer(info.Id)
    })
  }
}

interface PutBack {
  /** It was started or restarted, and has to prove itself. */
  touched: boolean
  /** It has jobs and takes no new ones. */
  isDraining?: boolean
  /** What could not be made as it was. */
  note?: string
  /** The container that was made because the old one was gone. */
  anewId?: string
}

async function putBack(parts: DeployParts, journal: DeployJournal, instance: PlannedInstance): Promise<PutBack> {
  const { docker, store } = parts
  const { name, oldId, wasAlive, port } = instance
  const old = await docker.inspectContainer(oldId ?? '')
  if (old === undefined) return makeAnew(parts, journal, instance)
  if (old.name !== name) await giveBackName(parts, journal, old.id, name)
  if (!wasAlive) return { touched: false }
  const spec = specOf(parts, instance)
  // It may run and have been told to end: Docker goes on with that, whoever asked for it and is gone.
  const isEnding = old.running && store.mayBeEnding(journal.deploy.id, name)
  if (isEnding) await docker.stopContainer(old.id, spec?.stopLimitMs ?? defaultStopLimitMs)
  if (!old.running || isEnding) {
    await docker.startContainer(old.id)
    return { touched: true }
  }
  const own = spec?.drain === undefined ? undefined : await askStatus(port, spec.drain.statusPath)
  if (own?.is_draining !== true) return { touched: false }
  if (own.active_jobs > 0) {
    const jobs = own.active_jobs === 1 ? 'job' : `${own.active_jobs} jobs`
    return {
      ...{ touched: false, isDraining: true },
      note: `${name} goes on with its ${jobs} and takes no new ones; the agent restarts it when it is done.`,
    }
  }
  // A drained worker takes jobs again only after a restart; it has none to lose.
  await docker.restartContainer(old.id, spec?.stopLimitMs ?? defaultStopLimitMs)
  return { touched: true }
}

/** Docker removes some containers once they have ended (`--rm`, a prune): what they ran is recorded, and is run again. */
async function makeAnew(
  { docker, files }: DeployParts,
  journal: DeployJournal,
  old: PlannedInstance,
): Promise<PutBack> {
  const { service, name, port, wasAlive } = old
  const { id: deployId, plan } = journal.deploy
  const gone = `The old container of ${name} is gone`
  const image = plan.previous[service]
  const services = files.read()
  const spec = services.services[service]
  if (!wasAlive || spec === undefined || image?.id == null || (await docker.inspectImage(image.id)) === undefined)
    return { touched: false, note: `${gone}; none serves in its place.` }
  const instance = instanceOf({ name, labels: {}, env: new Map() }, service, port)
  const ref = { id: image.id, name: image.name }
  // With the deploy's mark: one that is made and not started yet when the agent ends is found and removed.
  const anewId = await docker.createContainer(instanceSpec(instance, spec, services, files.env(), ref, deployId))
  await docker.startContainer(anewId)
  return { touched: true, anewId, note: `${gone}; another was made from its image, ${image.name}.` }
}

/**
 * A container that was asked for by an agent which ended can be under way still: it has the name from the first moment,
 * and is seen only when it is made.
 */
async function giveBackName(parts: DeployParts, journal: DeployJournal, oldId: string, name: string): Promise<void> {
  const { docker } = parts
  const deadline = performance.now() + lateLimitMs
  for (;;) {
    try {
      return await docker.renameContainer(oldId, name)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'conflict' || performance.now() >= deadline) throw error
      const holder = (await docker.listContainers()).find(({ Names }) => Names.includes(`/${name}`))
      if (holder !== undefined && holder.Labels?.[labelNames.deploy] !== String(journal.deploy.id)) throw error
    }
    await sleep(askEveryMs)
    await removeNew(parts, journal)
  }
}

async function proveOld(
  parts: DeployParts,
  journal: DeployJournal,
  instance: PlannedInstance,
): Promise<string | undefined> {
  const spec = specOf(parts, instance)
  const { name, port, oldId } = instance
  if (spec === undefined || oldId === null) return undefined
  try {
    await journal.take('restore', 'health', instance, () =>
      awaitHealth(parts.docker, { id: oldId, name, port }, spec, undefined),
    )
    return undefined
  } catch (error) {
    if (error instanceof Unhealthy) return `The old ${name} is back but not healthy: ${error.message}`
    throw error
  }
}

function specOf({ files }: DeployParts, { service }: PlannedInstance) {
  try {
    return files.read().services[service]
  } catch {
    // A file that was broken meanwhile must not keep the old containers from coming back.
    return undefined
  }
}

async function dockerAnswers({ docker }: DeployParts): Promise<boolean> {
  return docker.listContainers().then(
    () => true,
    () => false,
  )
}
