import type { Vault } from '../../vault/vault.ts'
import { fingerprint } from './fingerprint.ts'
import { Identities, type Identity } from './identities.ts'
import { openLocked } from './open-key.ts'
import { listHosts, resolveHost, type SshEnvironment, type SshWish } from './resolve-host.ts'

export interface KeptPassphrasesDeps {
  vault: Pick<Vault, 'get' | 'set' | 'state'>
  environment: () => SshEnvironment
  /** Where this console logs in, beside what the SSH configuration names. */
  wishes: () => SshWish[]
}

/** Finds the keys that kept passphrases belong to, by their fingerprints, and tries them without asking anyone. */
export class KeptPassphrases {
  readonly #deps: KeptPassphrasesDeps

  constructor(deps: KeptPassphrasesDeps) {
    this.#deps = deps
  }

  async fileOf(name: string): Promise<string | undefined> {
    return (await this.#find(name))?.file
  }

  /** False when it does not open its key, or the key is no longer where it was. */
  async opens(name: string): Promise<boolean> {
    const identity = await this.#find(name)
    const passphrase = await this.#deps.vault.get(name, 'ssh-passphrase')
    if (identity?.content === undefined || passphrase === undefined) return false
    return (await openLocked(identity.content, passphrase)) !== undefined
  }

  async #find(name: string): Promise<Identity | undefined> {
    const surroundings = this.#deps.environment()
    const named = (await listHosts(surroundings).catch(() => [])).map((host) => ({ host }))
    const files = new Set<string>()
    // A host of no name gets the keys that every host is offered.
    for (const wish of [...this.#deps.wishes(), ...named, { host: 'localhost' }]) {
      const host = await resolveHost(wish, surroundings).catch(() => undefined)
      for (const file of host?.identityFiles ?? []) files.add(file)
    }
    const reader = new Identities({ ask: async () => ({ kind: 'cancelled' }) as never }, this.#deps.vault)
    const found = await reader.read([...files])
    return found.find(({ publicKey }) => fingerprint(publicKey) === name)
  }
}
