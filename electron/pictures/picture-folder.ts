import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

/** More machines than one person watches; a picture takes about 100 kB. */
export const mostPictures = 200
export const mostBytes = 64 * 1024 * 1024
/** Older than that, a picture says nothing of its machine any more. */
export const keptMs = 30 * 24 * 60 * 60_000

const ending = '.picture'

interface KeptFile {
  name: string
  bytes: number
  /** When it was written, in ms. */
  at: number
}

/** One sealed file per machine. A machine's id is whatever its console made of it: the file's name is its hash. */
export class PictureFolder {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(machineId: string): Promise<Buffer | undefined> {
    return fs.readFile(this.#fileOf(machineId)).catch(() => undefined)
  }

  /** The old file or the new one, never a mix. */
  async write(machineId: string, content: Buffer): Promise<void> {
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const file = this.#fileOf(machineId)
    const beside = `${file}.new`
    try {
      await fs.writeFile(beside, content, { mode: 0o600 })
      await fs.rename(beside, file)
    } catch (error) {
      await fs.rm(beside, { force: true }).catch(() => {})
      throw error
    }
  }

  async remove(machineId: string): Promise<void> {
    await fs.rm(this.#fileOf(machineId), { force: true })
  }

  async removeAll(): Promise<void> {
    await fs.rm(this.#folder, { recursive: true, force: true })
  }

  async size(): Promise<{ rows: number; bytes: number }> {
    const files = await this.#files()
    return { rows: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
  }

  /** Lets go of what is of no machine, too old, or more than is kept: the oldest first. */
  async tidy(machineIds: Iterable<string>, now: number): Promise<void> {
    const known = new Set([...machineIds].map((id) => nameOf(id)))
    let [kept, bytes] = [0, 0]
    for (const file of (await this.#files()).sort((a, b) => b.at - a.at)) {
      const stays = known.has(file.name) && now - file.at <= keptMs
      if (stays && kept < mostPictures && bytes + file.bytes <= mostBytes) {
        kept++
        bytes += file.bytes
      } else await fs.rm(path.join(this.#folder, file.name), { force: true })
    }
  }

  async #files(): Promise<KeptFile[]> {
    const names = await fs.readdir(this.#folder).catch(() => [])
    const files = await Promise.all(
      names.map(async (name) => {
        const stat = await fs.stat(path.join(this.#folder, name)).catch(() => undefined)
        return stat === undefined ? [] : [{ name, bytes: stat.size, at: stat.mtimeMs }]
      }),
    )
    return files.flat()
  }

  #fileOf(machineId: string): string {
    return path.join(this.#folder, nameOf(machineId))
  }
}

function nameOf(machineId: string): string {
  return createHash('sha256').update(machineId).digest('hex').slice(0, 32) + ending
}
