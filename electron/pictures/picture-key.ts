import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Vault } from '../vault/vault.ts'
import { keyBytes } from './sealed.ts'

/** A keychain that is locked asks a person each time it is asked: not for every picture. */
const askAgainMs = 10 * 60_000
/** Whose the key is, in the vault: it belongs to no single machine. */
export const pictureKeyOwner = 'last-pictures'

/** The key of the last pictures. It lives in the keychain and nowhere else: without one there is none. */
export class PictureKey {
  readonly #vault: Pick<Vault, 'state' | 'get' | 'set' | 'delete'>
  readonly #clock: Clock
  #key: Buffer | undefined
  #askedInVain = Number.NEGATIVE_INFINITY

  constructor(vault: Pick<Vault, 'state' | 'get' | 'set' | 'delete'>, clock: Clock) {
    this.#vault = vault
    this.#clock = clock
  }

  /** The key that is kept; undefined when there is none, or the keychain cannot be asked. */
  async kept(): Promise<Buffer | undefined> {
    return (await this.#found())?.key
  }

  /** The same, or a new one where the keychain has none; `isNew` when nothing can have been sealed with it. */
  async keptOrNew(): Promise<{ key: Buffer; isNew: boolean } | undefined> {
    const found = await this.#found()
    if (found === undefined) return undefined
    if (found.key !== undefined) return { key: found.key, isNew: false }
    const key = randomBytes(keyBytes)
    const where = await this.#vault.set(pictureKeyOwner, 'pictures', key.toString('base64url'))
    if (where === 'keychain') {
      this.#key = key
      return { key, isNew: true }
    }
    // The keychain went in between. What lives for this run only would leave files that nobody can read.
    await this.#vault.delete(pictureKeyOwner, 'pictures')
    return undefined
  }

  async forget(): Promise<void> {
    this.#key = undefined
    await this.#vault.delete(pictureKeyOwner, 'pictures')
  }

  /** Undefined when the keychain cannot be asked, which is not the same as having no key. */
  async #found(): Promise<{ key: Buffer | undefined } | undefined> {
    if (this.#key !== undefined) return { key: this.#key }
    if (this.#clock.now() - this.#askedInVain < askAgainMs) return undefined
    try {
      if ((await this.#vault.state()).state === 'ready') {
        const text = await this.#vault.get(pictureKeyOwner, 'pictures')
        const key = Buffer.from(text ?? '', 'base64url')
        if (key.length === keyBytes) this.#key = key
        return { key: this.#key }
      }
    } catch {
      // It is asked again later.
    }
    this.#askedInVain = this.#clock.now()
    return undefined
  }
}
