/** What the vault needs of an operating system's keychain. */
export interface Keychain {
  get(account: string): Promise<string | null>
  set(account: string, value: string): Promise<void>
  delete(account: string): Promise<boolean>
}

export const keychainService = 'pilothouse'

/**
 * The keychain of this computer: Keychain, Credential Manager, or the Secret Service. On Linux the library
 * would fall back to the kernel's keyring, which forgets at the next boot; so the Secret Service is required.
 * Throws when there is none.
 */
export async function openSystemKeychain(service = keychainService): Promise<Keychain> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  const entry = (account: string) => new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
  // The library connects when an entry is made: this is what throws where there is no keychain.
  entry('index')
  return {
    get: async (account) => (await entry(account).getPassword()) ?? null,
    set: (account, value) => entry(account).setPassword(value),
    delete: (account) => entry(account).deleteCredential(),
  }
}
