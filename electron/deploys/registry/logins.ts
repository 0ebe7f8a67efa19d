import { z } from 'zod'
import type { Vault } from '../../vault/vault.ts'
import type { Environment } from './feed-store.ts'
import { type RegistryAccount, readAddress } from './registry-http.ts'

const login = z.object({ origin: z.string(), username: z.string(), password: z.string() })
const place = (environment: Environment) => `registry:${environment}`

/** Logins for registries, by environment. They stand in the keychain, and go only to the registry they were typed for. */
export class RegistryLogins {
  readonly #vault: Pick<Vault, 'get' | 'set' | 'delete' | 'list'>

  constructor(vault: Pick<Vault, 'get' | 'set' | 'delete' | 'list'>) {
    this.#vault = vault
  }

  set(environment: Environment, address: string, account: RegistryAccount): Promise<'keychain' | 'this-run'> {
    const { origin } = readAddress(address)
    return this.#vault.set(place(environment), 'registry', JSON.stringify({ origin, ...account }))
  }

  async get(environment: Environment, address: string): Promise<RegistryAccount | undefined> {
    const text = await this.#vault.get(place(environment), 'registry')
    if (text === undefined) return undefined
    try {
      const { origin, ...account } = login.parse(JSON.parse(text))
      return origin === readAddress(address).origin ? account : undefined
    } catch {
      return undefined
    }
  }

  remove(environment: Environment): Promise<void> {
    return this.#vault.delete(place(environment), 'registry')
  }

  async since(environment: Environment): Promise<string | null> {
    const found = (await this.#vault.list()).find(
      ({ machineId, kind }) => kind === 'registry' && machineId === place(environment),
    )
    return found?.since ?? null
  }
}
