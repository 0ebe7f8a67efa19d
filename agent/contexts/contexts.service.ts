import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'

export interface Context {
  id: string
  name: string
  createdAt: string
  sizeBytes: number
  inUse: boolean
}

const validId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const factsSchema = z.object({ name: z.string(), createdAt: z.string() })
/** Begins with a dot, as no id does: what is being deleted is a context no more. */
const deletedPrefix = '.deleted-'

/** Named user-data directories: what a browser remembers, apart from what the others remember. */
export class Contexts {
  readonly #folder: string
  readonly #inUse: () => string | null

  constructor(dataDir: string, inUse: () => string | null) {
    this.#folder = path.join(dataDir, 'contexts')
    this.#inUse = inUse
  }

  async list(): Promise<Context[]> {
    this.#sweep()
    return Promise.all(this.#ids().map((id) => this.#describe(id)))
  }

  create(name: string): Promise<Context> {
    if (this.#ids().some((id) => this.#facts(id).name === name)) {
      throw new Problem('conflict', `There is a context called "${name}" already. Use it, or choose another name.`)
    }
    const slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40)
    const id = `${slug === '' ? 'context' : slug}-${randomBytes(4).toString('hex')}`
    mkdirSync(path.join(this.#folder, id), { recursive: true, mode: 0o700 })
    const facts = { name, createdAt: new Date().toISOString() }
    writeFileSync(this.#factsFile(id), JSON.stringify(facts), { mode: 0o600 })
    return this.#describe(id)
  }

  /** Deletes a context with everything in it. Out of the way at once, so that a start in between finds none of it. */
  async delete(id: string): Promise<void> {
    if (!this.#ids().includes(id)) {
      throw new Problem('not-found', 'There is no context with that id. GET /v1/browser/contexts lists them.')
    }
    if (this.#inUse() === id) {
      throw new Problem('conflict', 'The browser uses that context. Stop the browser first.')
    }
    const aside = path.join(this.#folder, deletedPrefix + randomBytes(8).toString('hex'))
    renameSync(path.join(this.#folder, id), aside)
    await rm(aside, { recursive: true, force: true, maxRetries: 3 })
  }

  /** What an agent that was killed had begun to delete. */
  #sweep(): void {
    for (const entry of this.#entries())
      if (entry.name.startsWith(deletedPrefix))
        void rm(path.join(this.#folder, entry.name), { recursive: true, force: true }).catch(() => {})
  }

  /** A link is not a context: it may lead anywhere. */
  #ids(): string[] {
    return this.#entries()
      .filter((entry) => entry.isDirectory() && validId.test(entry.name))
      .map((entry) => entry.name)
      .sort()
  }

  #entries() {
    return existsSync(this.#folder) ? readdirSync(this.#folder, { withFileTypes: true }) : []
  }

  async #describe(id: string): Promise<Context> {
    const sizeBytes = await sizeOf(path.join(this.#folder, id))
    return { id, ...this.#facts(id), sizeBytes, inUse: this.#inUse() === id }
  }

  /** A context that a start made on the way has no name but its id. */
  #facts(id: string): { name: string; createdAt: string } {
    try {
      return factsSchema.parse(parseJson(readFileSync(this.#factsFile(id), 'utf8')))
    } catch {
      const stat = statSync(path.join(this.#folder, id), { throwIfNoEntry: false })
      const born = stat === undefined ? new Date() : stat.birthtimeMs > 0 ? stat.birthtime : stat.mtime
      return { name: id, createdAt: born.toISOString() }
    }
  }

  #factsFile(id: string): string {
    return path.join(this.#folder, id, 'context.json')
  }
}

/** Links are counted as links; files that go away meanwhile count as nothing. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let total = 0
  for (const entry of entries) {
    const inside = path.join(folder, entry.name)
    total += entry.isDirectory() ? await sizeOf(inside) : ((await lstat(inside).catch(() => undefined))?.size ?? 0)
  }
  return total
}
