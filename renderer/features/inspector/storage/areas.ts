import type { CdpParams } from '../cdp.ts'

/** Whose storage it is: a page's own, or that of a frame in it. */
export interface StorageOwner {
  /** Chromium's name for it: the origin, and for frames of others also the site around them. */
  key: string
  origin: string
  /** Storage of a frame that stands on another site is that site's, too. */
  partitioned: boolean
  /** The target of the frame, where that runs apart from the page. */
  frame?: string | undefined
}

export type StorageKind = 'local' | 'session' | 'databases' | 'caches'
export type Entry = readonly [key: string, value: string]

interface FrameTree {
  frame?: { id?: unknown }
  childFrames?: unknown
}

/** The frames of a page, itself first. The answer is Chromium's, and is looked at before it is believed. */
export function frameIds(answer: CdpParams): string[] {
  const found: string[] = []
  const walk = (tree: FrameTree | undefined, depth: number) => {
    if (typeof tree?.frame?.id !== 'string' || depth > 32 || found.length >= 64) return
    found.push(tree.frame.id)
    if (Array.isArray(tree.childFrames)) for (const child of tree.childFrames as FrameTree[]) walk(child, depth + 1)
  }
  walk(answer['frameTree'] as FrameTree | undefined, 0)
  return found
}

export interface FoundKey {
  key: string
  /** Where it was found, when that runs apart. */
  frame: string | undefined
}

/** A storage key is an origin with a slash, and what else sets it apart after a caret. */
function ownerOf({ key, frame }: FoundKey): StorageOwner {
  const [origin = ''] = key.split('^')
  return { key, origin: origin.replace(/\/$/, ''), partitioned: key.includes('^'), frame }
}

/** Each owner once, in the order of the frames. */
export function ownersOf(found: readonly FoundKey[]): StorageOwner[] {
  const first = new Map(found.toReversed().map((one) => [one.key, one]))
  const keys = [...new Set(found.map(({ key }) => key))].filter((key) => /^https?:/.test(key))
  return keys.map((key) => ownerOf(first.get(key) ?? { key, frame: undefined }))
}

export function entriesOf(answer: CdpParams): Entry[] {
  const entries = Array.isArray(answer['entries']) ? (answer['entries'] as unknown[]) : []
  return entries.flatMap((entry) => (Array.isArray(entry) ? [[String(entry[0]), String(entry[1])] as const] : []))
}

export function namesOf(answer: CdpParams, kind: 'databases' | 'caches'): string[] {
  const list = answer[kind === 'databases' ? 'databaseNames' : 'caches']
  if (!Array.isArray(list)) return []
  return (list as unknown[]).map((one) =>
    typeof one === 'string' ? one : String((one as { cacheName?: unknown } | null)?.cacheName ?? ''),
  )
}

/** How Chromium is asked for what an owner keeps. */
export function questionFor(owner: StorageOwner, kind: StorageKind): readonly [method: string, params: CdpParams] {
  if (kind === 'databases') return ['IndexedDB.requestDatabaseNames', { storageKey: owner.key }]
  if (kind === 'caches') return ['CacheStorage.requestCacheNames', { storageKey: owner.key }]
  return ['DOMStorage.getDOMStorageItems', { storageId: storageId(owner, kind) }]
}

export function storageId(owner: StorageOwner, kind: StorageKind): CdpParams {
  return { storageKey: owner.key, isLocalStorage: kind === 'local' }
}
