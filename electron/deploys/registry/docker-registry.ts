import { z } from 'zod'
import { Problem } from '../../../shared/errors.ts'
import { nextPage } from './challenge.ts'
import type { ImageOrigin, ImageSource } from './image-source.ts'
import { type RegistryAccount, RegistryHttp } from './registry-http.ts'

export interface RegistryPlace {
  /** `https://registry.example`; Docker Hub is https://registry-1.docker.io. */
  address: string
  repository: string
}

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

const digestShape = /^sha256:[0-9a-f]{64}$/
const digestSchema = z.string().regex(digestShape)
const tagList = z.object({ tags: z.array(z.string()).nullish() })
const texts = z.record(z.string(), z.string())
const manifest = z.object({
  annotations: texts.nullish(),
  config: z.object({ digest: digestSchema }).optional(),
  manifests: z
    .array(
      z.object({
        digest: digestSchema,
        platform: z.object({ os: z.string().optional(), architecture: z.string().optional() }).nullish(),
      }),
    )
    .optional(),
})
const imageConfig = z.object({
  created: z.string().nullish(),
  config: z.object({ Labels: texts.nullish() }).nullish(),
})

const pageSize = 1000
/** A registry that never stops sending pages is broken or hostile. */
const maxTags = 20_000
/** Pages may be smaller than asked for, and even empty: these many would hold that many tags at a hundred each. */
const maxPages = 200

/** A Docker registry, by the HTTP API v2 of the distribution spec. */
export class DockerRegistry implements ImageSource {
  readonly #place: RegistryPlace
  readonly #http: RegistryHttp

  constructor(place: RegistryPlace, account: () => Promise<RegistryAccount | undefined>, limitMs?: number) {
    this.#place = place
    this.#http = new RegistryHttp({
      address: place.address,
      scope: `repository:${place.repository}:pull`,
      account,
      limitMs,
    })
  }

  async tags(signal: AbortSignal): Promise<string[]> {
    const tags = new Set<string>()
    const seen = new Set<string>()
    let next: string | undefined = `/v2/${this.#place.repository}/tags/list?n=${pageSize}`
    while (next !== undefined && !seen.has(next) && tags.size < maxTags) {
      if (seen.size === maxPages)
        throw new Problem('bad-answer', `Its list of tags has no end after ${maxPages} pages.`)
      seen.add(next)
      const answer = await this.#http.get(next, { signal })
      if (answer.status === 404) throw this.#unknown()
      const { tags: page } = answer.json(tagList, 'the list of tags')
      for (const tag of page ?? []) if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(tag)) tags.add(tag)
      next = nextPage(answer.headers.get('link'))
    }
    return [...tags]
  }

  async digest(tag: string, signal: AbortSignal): Promise<string | undefined> {
    const path = this.#path('manifests', tag)
    const answer = await this.#http.get(path, { method: 'HEAD', accept: manifestTypes, signal })
    if (answer.status === 404) return undefined
    const said = answer.headers.get('docker-content-digest')
    if (said !== null && digestShape.test(said)) return said
    // Some registries leave the header out of the answer to HEAD: the body then says it by what it is.
    const whole = await this.#http.get(path, { accept: manifestTypes, signal })
    return whole.status === 404 ? undefined : whole.digest
  }

  async origin(tag: string, signal: AbortSignal): Promise<ImageOrigin> {
    const found = await this.#manifest(tag, signal)
    if (found === undefined) return originOf({}, null)
    let { annotations, config } = found
    if (config === undefined && found.manifests !== undefined) {
      const real = found.manifests.filter(({ platform }) => platform?.os !== 'unknown')
      const one = real.find(({ platform }) => platform?.os === 'linux' && platform.architecture === 'amd64') ?? real[0]
      const inner = one === undefined ? undefined : await this.#manifest(one.digest, signal)
      annotations = { ...inner?.annotations, ...annotations }
      config = inner?.config
    }
    if (config === undefined) return originOf(annotations ?? {}, null)
    const answer = await this.#http.get(this.#path('blobs', config.digest), { signal })
    // It may have come by way of someone else's store: what it is called is what it must be.
    if (answer.status === 404 || answer.digest !== config.digest) return originOf(annotations ?? {}, null)
    const read = answer.json(imageConfig, 'the image’s configuration')
    return originOf({ ...read.config?.Labels, ...annotations }, read.created ?? null)
  }

  async #manifest(reference: string, signal: AbortSignal): Promise<z.infer<typeof manifest> | undefined> {
    const answer = await this.#http.get(this.#path('manifests', reference), { accept: manifestTypes, signal })
    return answer.status === 404 ? undefined : answer.json(manifest, 'the manifest')
  }

  #path(kind: 'manifests' | 'blobs', reference: string): string {
    return `/v2/${this.#place.repository}/${kind}/${reference}`
  }

  #unknown(): Problem {
    const { address, repository } = this.#place
    return new Problem(
      'not-found',
      `${address} knows no repository ${repository}. Check its name, and that the login may see it.`,
    )
  }
}

/** The names that builders write, in the order in which they are believed. */
function originOf(labels: Record<string, string>, created: string | null): ImageOrigin {
  const pick = (...names: string[]) => {
    const found = names.map((name) => labels[name]?.trim()).find((value) => value !== undefined && value !== '')
    return found === undefined ? null : found.slice(0, 500)
  }
  const createdAt = pick('org.opencontainers.image.created') ?? created
  return {
    commit: pick('org.opencontainers.image.revision', 'org.label-schema.vcs-ref', 'vcs-ref', 'git.commit'),
    message: pick('org.opencontainers.image.revision.message', 'git.commit.message'),
    branch: pick('org.opencontainers.image.ref.name', 'git.branch'),
    source: pick('org.opencontainers.image.source', 'org.label-schema.vcs-url'),
    createdAt: createdAt !== null && !Number.isNaN(Date.parse(createdAt)) ? new Date(createdAt).toISOString() : null,
  }
}
