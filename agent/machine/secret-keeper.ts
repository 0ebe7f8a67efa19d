import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { Problem } from '../../shared/errors.ts'
import { readIfThere, SecretChecker, sha256, whyUnusable } from '../server/secrets.ts'
import { replaceFile } from '../storage/replace-file.ts'

const rotatedSchema = z.object({ secret: z.string(), replaces: z.array(z.string()) })
type Rotated = z.infer<typeof rotatedSchema>

/**
 * The agent's secret over time. A secret that came in a file the agent can write is replaced there. One that came in
 * the environment, or as a read-only credential, cannot be: the new one is kept in the data folder with the hashes of
 * those it replaces, and wins over exactly those at the next start. A secret that someone sets anew wins over it.
 */
export class SecretKeeper {
  readonly checker: SecretChecker
  readonly #dataDir: string
  readonly #file: string | undefined
  #current: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(dataDir: string, secretFile: string | undefined, given: string) {
    this.#dataDir = dataDir
    this.#file = secretFile
    const rotated = this.#rotated()
    this.#current = rotated?.replaces.includes(hashOf(given)) ? rotated.secret : given
    this.checker = new SecretChecker(this.#current)
  }

  /**
   * Takes `next` after it is written down durably; returns a sentence on where. One after the other: what is written
   * last is what the next start reads, and has to be what is taken last.
   */
  rotate(current: string, next: string): Promise<string> {
    const work = this.#last.then(() => this.#rotate(current, next))
    this.#last = work.catch(() => {})
    return work
  }

  async #rotate(current: string, next: string): Promise<string> {
    if (!this.checker.matches(current)) {
      throw new Problem('forbidden', '"current" is not the secret of this agent. Nothing was changed.')
    }
    if (next === this.#current) return 'That is the secret already.'
    const where = await this.#keep(next)
    this.checker.rotate(next)
    this.#current = next
    return where
  }

  /** Reads the secret file again; returns whether there was a new secret in it. */
  refresh(): boolean {
    const secret = this.#inFile()
    if (secret === undefined || this.checker.matches(secret)) return false
    if (this.#rotated()?.replaces.includes(hashOf(secret))) return false
    const wrong = whyUnusable(secret)
    if (wrong !== undefined) throw new Problem('conflict', `The secret file has ${wrong}. The old secret stays.`)
    this.checker.rotate(secret)
    this.#current = secret
    return true
  }

  async #keep(next: string): Promise<string> {
    if (this.#file !== undefined && this.#inFile() === this.#current) {
      try {
        await replaceFile(this.#file, Buffer.from(`${next}\n`))
        return 'The new secret is in the secret file.'
      } catch (error) {
        // A credential of systemd's, or a file of someone else's: kept in the data folder instead.
        if (!(error instanceof Problem) || error.code === 'storage-full') throw error
      }
    }
    const replaces = new Set([...(this.#rotated()?.replaces ?? []), hashOf(this.#current)])
    replaces.delete(hashOf(next))
    const content: Rotated = { secret: next, replaces: [...replaces] }
    await replaceFile(this.#rotatedFile(), Buffer.from(JSON.stringify(content)), { mode: 0o600, fresh: true })
    return 'The new secret is kept in the data folder and wins over the old one, which the agent is still started with. Change it there as well.'
  }

  #inFile(): string | undefined {
    if (this.#file === undefined) return undefined
    // A pipe gave its secret at the start; to wait for another would stop everything else.
    if (fs.statSync(this.#file, { throwIfNoEntry: false })?.isFile() === false) return undefined
    return readIfThere(this.#file)?.trim()
  }

  #rotatedFile(): string {
    return path.join(this.#dataDir, 'rotated-secret')
  }

  #rotated(): Rotated | undefined {
    const text = readIfThere(this.#rotatedFile())
    if (text === undefined) return undefined
    try {
      return rotatedSchema.parse(JSON.parse(text))
    } catch (error) {
      const next = 'Remove it, and the agent takes the secret that it is started with.'
      // Without what stands in it.
      throw new Error(`${this.#rotatedFile()} cannot be read. ${next}`, { cause: (error as Error).name })
    }
  }
}

function hashOf(secret: string): string {
  return sha256(secret).toString('hex')
}
