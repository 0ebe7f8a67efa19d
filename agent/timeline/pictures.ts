import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Problem } from '../../shared/errors.ts'

export interface PictureLimits {
  count: number
  bytes: number
}

/** Some days of key moments, in the room of a short film. */
const usual: PictureLimits = { count: 150, bytes: 16 * 1024 * 1024 }
const idShape = /^[a-z0-9-]{1,40}$/
/** One that is larger is of a display nobody has. */
const largest = 2 * 1024 * 1024

/** The folder of pictures of key moments: bounded in number and in bytes, the oldest make room. */
export class PictureFiles {
  readonly #dir: string
  readonly #limits: PictureLimits
  readonly #onDrop: (id: string) => void

  constructor(dataDir: string, onDrop: (id: string) => void, limits: PictureLimits = usual) {
    this.#dir = path.join(dataDir, 'timeline-pictures')
    this.#limits = limits
    this.#onDrop = onDrop
  }

  /** Keeps a picture and returns its id; null for one that is too large. */
  add(jpeg: Uint8Array): string | null {
    if (jpeg.length > Math.min(largest, this.#limits.bytes)) return null
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    // Sorts by age, so that the oldest is found without looking into files.
    const id = `${Date.now().toString(36).padStart(10, '0')}-${randomBytes(5).toString('hex')}`
    try {
      writeFileSync(this.#file(id), jpeg, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Half a picture on a full disk is none, and takes no room.
      rmSync(this.#file(id), { force: true })
      throw error
    }
    this.#makeRoom()
    return id
  }

  /** Read without following links: a picture is a file in this folder, nothing else. */
  read(id: string): Uint8Array {
    try {
      if (!idShape.test(id)) throw new Error('not an id')
      const fd = openSync(this.#file(id), constants.O_RDONLY | constants.O_NOFOLLOW)
      try {
        if (!fstatSync(fd).isFile()) throw new Error('not a file')
        return readFileSync(fd)
      } finally {
        closeSync(fd)
      }
    } catch {
      throw new Problem('not-found', 'That picture is no longer kept: the oldest make room for new ones.')
    }
  }

  /** Ids and sizes, the oldest first. */
  list(): { id: string; bytes: number }[] {
    let names: string[]
    try {
      names = readdirSync(this.#dir)
    } catch {
      return []
    }
    return names
      .filter((name) => name.endsWith('.jpg') && idShape.test(name.slice(0, -4)))
      .sort()
      .map((name) => ({
        id: name.slice(0, -4),
        bytes: statSync(path.join(this.#dir, name), { throwIfNoEntry: false })?.size ?? 0,
      }))
  }

  #makeRoom(): void {
    const kept = this.list()
    let bytes = kept.reduce((sum, picture) => sum + picture.bytes, 0)
    while (kept.length > this.#limits.count || bytes > this.#limits.bytes) {
      const oldest = kept.shift()
      if (oldest === undefined) return
      bytes -= oldest.bytes
      rmSync(this.#file(oldest.id), { force: true })
      this.#onDrop(oldest.id)
    }
  }

  #file(id: string): string {
    return path.join(this.#dir, `${id}.jpg`)
  }
}
