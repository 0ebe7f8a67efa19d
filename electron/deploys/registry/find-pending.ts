import { newestFirst, readTagPattern } from '../../../shared/domain/tag-pattern.ts'
import { Problem } from '../../../shared/errors.ts'
import type { PendingTag } from '../../../shared/ipc-deploys.ts'
import type { KeptFeed } from './feed-store.ts'
import type { ImageOrigin, ImageSource } from './image-source.ts'

/** More than a few are no choice any more, and each costs the registry requests. */
const shownTags = 10

export interface Found {
  pending: PendingTag[]
  known: Record<string, string>
  /** What was not there the last time, newest first; empty on the first look, when everything is new. */
  fresh: PendingTag[]
}

/** The tags that fit and are newer than what was deployed last, each with the very image it means now. */
export async function findPending(options: {
  source: ImageSource
  feed: KeptFeed & { config: NonNullable<KeptFeed['config']> }
  /** Tags and digests that were deployed there, whenever. */
  deployed: ReadonlySet<string>
  at: string
  signal: AbortSignal
}): Promise<Found> {
  const { source, feed, deployed, at, signal } = options
  const pattern = readTagPattern(feed.config.pattern)
  if ('mistake' in pattern) throw new Problem('invalid-pattern', pattern.mistake)
  const matching = (await source.tags(signal)).filter((tag) => pattern.matches(tag)).sort(newestFirst)
  const known: Record<string, string> = {}
  const pending: PendingTag[] = []
  for (const tag of matching.slice(0, shownTags)) {
    const digest = await source.digest(tag, signal)
    if (digest === undefined) continue
    known[tag] = digest
    const before = feed.known[tag]
    const moved = before !== undefined && before !== digest
    const earlier = feed.pending.find((one) => one.tag === tag && one.digest === digest)
    const deployAs = earlier?.deployAs ?? (moved ? digest : tag)
    if (deployed.has(deployAs)) break
    if (feed.dismissed.includes(`${tag}@${digest}`)) continue
    if (earlier !== undefined) {
      pending.push(earlier)
      continue
    }
    const origin = await originOf(source, tag, signal)
    pending.push({ tag, digest, deployAs, firstSeenAt: at, ...origin })
  }
  const first = feed.lookedAt === null
  const fresh = first ? [] : pending.filter(({ tag, digest }) => feed.known[tag] !== digest)
  return { pending, known, fresh }
}

/** Where it comes from is worth knowing, and not worth failing for. */
async function originOf(source: ImageSource, tag: string, signal: AbortSignal): Promise<ImageOrigin> {
  try {
    return await source.origin(tag, signal)
  } catch (error) {
    if (signal.aborted || (error instanceof Problem && error.code === 'too-many-requests')) throw error
    return { commit: null, message: null, branch: null, source: null, createdAt: null }
  }
}
