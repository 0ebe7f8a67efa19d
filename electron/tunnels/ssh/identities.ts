import fs from 'node:fs/promises'
import type { Vault } from '../../vault/vault.ts'
import type { Prompts } from '../prompts.ts'
import { fingerprint } from './fingerprint.ts'
import { publicPartOf } from './key-file.ts'
import { type OpenKey, openLocked, openPlain } from './open-key.ts'

/** A key that may be offered: the private part is needed only once a server wants it. */
export interface Identity {
  file: string
  publicKey: Buffer
  /** Undefined when the file holds the public part only: the SSH agent has the rest. */
  content: Buffer | undefined
}

/** Tries a person has for one passphrase, as OpenSSH gives them. */
const maxTries = 3

/** Keys in files, opened when a server has said that it would take them. What was opened once stays so for this run. */
export class Identities {
  readonly #prompts: Pick<Prompts, 'ask'>
  readonly #vault: Pick<Vault, 'get' | 'set' | 'state'>
  readonly #opened = new Map<string, OpenKey>()

  constructor(prompts: Pick<Prompts, 'ask'>, vault: Pick<Vault, 'get' | 'set' | 'state'>) {
    this.#prompts = prompts
    this.#vault = vault
  }

  /** Files that are not there, or hold no key, are passed over, as OpenSSH does. */
  async read(files: readonly string[]): Promise<Identity[]> {
    const found: Identity[] = []
    for (const file of files) {
      const content = await fs.readFile(file).catch(() => undefined)
      const beside = await fs.readFile(`${file}.pub`).catch(() => undefined)
      const publicKey = publicPartOf(content) ?? publicPartOf(beside)
      if (publicKey === undefined) continue
      found.push({ file, publicKey, content: content !== undefined && isPrivate(content) ? content : undefined })
    }
    return found
  }

  /** The private key, after asking the keychain and then a person for its passphrase; undefined when they decline. */
  async unlock(identity: Identity): Promise<OpenKey | undefined> {
    const name = fingerprint(identity.publicKey)
    const opened = this.#opened.get(name)
    if (opened !== undefined) return opened
    const kept = await this.#vault.get(name, 'ssh-passphrase').catch(() => undefined)
    const key = (await this.#open(identity)) ?? (kept === undefined ? undefined : await this.#open(identity, kept))
    return (
      key ?? this.#ask(identity, name, kept === undefined ? null : 'The passphrase in the keychain does not open it.')
    )
  }

  async #ask(identity: Identity, name: string, firstNote: string | null): Promise<OpenKey | undefined> {
    let note = firstNote
    const canRemember = (await this.#vault.state()).state === 'ready'
    for (let tried = 0; tried < maxTries; tried++) {
      const says = await this.#prompts.ask(`passphrase ${identity.file}`, {
        kind: 'passphrase',
        title: 'A key is locked',
        keyFile: identity.file,
        questions: [{ text: 'Passphrase', echo: false }],
        note,
        canRemember,
      })
      if (says.kind !== 'answered') return undefined
      // Two machines may have asked at once; the first one's answer opened it for both.
      const key = this.#opened.get(name) ?? (await this.#open(identity, says.answers[0]))
      if (key !== undefined) {
        if (says.remember) await this.#vault.set(name, 'ssh-passphrase', says.answers[0] ?? '')
        return key
      }
      note = 'That is not its passphrase.'
    }
    return undefined
  }

  async #open({ content, publicKey }: Identity, passphrase?: string): Promise<OpenKey | undefined> {
    if (content === undefined) return undefined
    const key = passphrase === undefined ? openPlain(content) : await openLocked(content, passphrase)
    if (key !== undefined) this.#opened.set(fingerprint(publicKey), key)
    return key
  }
}

function isPrivate(content: Buffer): boolean {
  return content.includes('PRIVATE KEY')
}
