import { Problem } from '../../shared/errors.ts'
import type { DockerOperations, ImageFacts } from '../docker/operations.ts'
import type { ProgressLine } from '../docker/progress.ts'
import type { PlannedImage } from './plan.ts'

const tellEveryMs = 500
/** Docker is there and says no: the tag, the registry or the login is to blame. */
const refusals = new Set(['docker-refused', 'not-found'])

/** Makes sure that an image is on this machine and says exactly which it is; pulls only what is not here. */
export async function fetchImage(
  docker: DockerOperations,
  image: PlannedImage,
  onProgress: (message: string, part: number) => void,
  signal: AbortSignal,
): Promise<PlannedImage> {
  const local = await findLocal(docker, image)
  if (local !== undefined) return { ...image, id: local.id, repoDigest: local.repoDigest }
  if (image.reference === null) {
    throw new Problem(
      'conflict',
      `The image ${image.name} is no longer on this machine and came from no registry. Build or deploy another one.`,
    )
  }
  await docker.pullImage(image.reference, summary(image.name, onProgress), signal).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof Problem) || !refusals.has(error.code)) throw error
    const { message, code, extra } = error
    const next = 'Check the tag, that this machine reaches the registry, and its login (docker login).'
    throw new Problem(code, `${image.name} could not be pulled. ${sentence(message)} ${next}`, extra, { cause: error })
  })
  const pulled = await docker.inspectImage(image.reference)
  if (pulled === undefined)
    throw new Problem('docker-refused', `Docker pulled ${image.reference}, but does not have it.`)
  if (image.id !== null && pulled.id !== image.id) {
    throw new Problem(
      'conflict',
      `${image.reference} is now another image than the one that was recorded (${image.id}).`,
    )
  }
  return { ...image, id: pulled.id, repoDigest: pulled.repoDigest }
}

/** Docker ends what it says in whichever way. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** A recorded id counts before any name: tags move. A digest may be an image's own id or the registry's. */
async function findLocal(docker: DockerOperations, image: PlannedImage): Promise<ImageFacts | undefined> {
  if (image.id !== null) return docker.inspectImage(image.id)
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(image.name)?.[1]
  const byId = digest === undefined ? undefined : await docker.inspectImage(digest)
  return byId ?? docker.inspectImage(image.name)
}

/** Docker says a line per layer many times a second; a person wants one sentence now and then. */
function summary(name: string, onProgress: (message: string, part: number) => void): (line: ProgressLine) => void {
  const layers = new Map<string, number>()
  let toldAt = Number.NEGATIVE_INFINITY
  return ({ id, status, progressDetail }) => {
    if (id === undefined || status === undefined) return
    const { current, total } = progressDetail ?? {}
    if (/^(Pull complete|Already exists)$/.test(status)) layers.set(id, 1)
    else if (/^(Pulling fs layer|Waiting)$/.test(status)) layers.set(id, layers.get(id) ?? 0)
    else if (current !== undefined && total !== undefined && total > 0 && layers.has(id))
      layers.set(id, current / total)
    if (layers.size === 0 || performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    const part = [...layers.values()].reduce((sum, done) => sum + done, 0) / layers.size
    onProgress(`Pulling ${name}: ${Math.round(part * 100)} % of ${layers.size} layers`, part)
  }
}
