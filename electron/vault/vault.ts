import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import type { keychainState } from '../../shared/ipc.ts'
import { type Keychain, openSystemKeychain } from './keychain.ts'
import { standsInPlainFile } from './plain-keyring.ts'

export type KeychainState = z.infer<typeof keychainState>
/**
 * `agent` and `aws` belong to a machine; a passphrase to a key, whose fingerprint then stands for it; a registry's
 * login to an environment. `agent-next` is an agent's new secret until it has proved itself. `pictures` is the one key
 * of the last pictures on this computer's disk.
 */
export type SecretKind = 'agent' | 'agent-next' | 'aws' | 'ssh-passphrase' | 'registry' | 'pictures'
export interface KeptSecret {
  machineId: string
  kind: SecretKind
  since: string
}

export interface VaultOptions {
  open?: () => Promise<Keychain>
  isPlain?: (canary: string) => Promise<boolean>
  now?: () => Date
  /** A locked keychain asks the person, and they may be away: after this it counts as locked. */
  limitMs?: number
}

/** One item of the keychain: what else is in it, without the values, and a canary that proves it is encrypted. */
interface Index {
  canary: string
  kept: KeptSecret[]
}

const indexAccount = 'index'
const ready: KeychainState = { state: 'ready', detail: 'Secrets are kept in the keychain of this computer.' }
const forThisRun = 'Secrets are kept for this run only.'

/** Keeps secrets in the keychain; without a usable one, in memory for as long as the console runs. */
export class Vault {
  readonly #options: Required<VaultOptions>
  readonly #forThisRun = new Map<string, { value: string; kept: KeptSecret }>()
  #keychain: Keychain | undefined
  #probing: Promise<KeychainState> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: VaultOptions = {}) {
    this.#options = {
      open: () => openSystemKeychain(),
      isPlain: (canary) => standsInPlainFile(canary),
      now: () => new Date(),
      limitMs: 4000,
      ...options,
    }
  }

  /** Whether the keychain can be used; found out once, and again after it was not ready. */
  state(): Promise<KeychainState> {
    this.#probing ??= this.#probe().then((found) => {
      if (found.state !== 'ready') this.#probing = undefined
      return found
    })
    return this.#probing
  }

  /** The same for a screen that must not wait: a keychain that is still asking the person counts as locked. */
  stateSoon(limitMs = 500): Promise<KeychainState> {
    return this.#limited(this.state(), limitMs).catch(unusable)
  }

  /** Says where the secret is now: for good in the keychain, or for this run. */
  async set(machineId: string, kind: SecretKind, value: string): Promise<'keychain' | 'this-run'> {
    const kept: KeptSecret = { machineId, kind, since: this.#options.now().toISOString() }
    const account = accountOf(machineId, kind)
    if ((await this.state()).state === 'ready' && this.#keychain !== undefined) {
      const keychain = this.#keychain
      await this.#inTurn(async () => {
        const index = await this.#readIndex(keychain)
        await keychain.set(account, value)
        const others = index.kept.filter((item) => accountOf(item.machineId, item.kind) !== account)
        await this.#writeIndex(keychain, { ...index, kept: [...others, kept] })
      })
      this.#forThisRun.delete(account)
      return 'keychain'
    }
    this.#forThisRun.set(account, { value, kept })
    return 'this-run'
  }

  async get(machineId: string, kind: SecretKind): Promise<string | undefined> {
    const account = accountOf(machineId, kind)
    const inMemory = this.#forThisRun.get(account)
    if (inMemory !== undefined) return inMemory.value
    if ((await this.state()).state !== 'ready') return undefined
    return (await this.#limited(this.#keychain?.get(account) ?? Promise.resolve(null))) ?? undefined
  }

  async delete(machineId: string, kind: SecretKind): Promise<void> {
    const account = accountOf(machineId, kind)
    this.#forThisRun.delete(account)
    if ((await this.state()).state !== 'ready' || this.#keychain === undefined) return
    const keychain = this.#keychain
    await this.#inTurn(async () => {
      await keychain.delete(account)
      const index = await this.#readIndex(keychain)
      const kept = index.kept.filter((item) => accountOf(item.machineId, item.kind) !== account)
      if (kept.length !== index.kept.length) await this.#writeIndex(keychain, { ...index, kept })
    })
  }

  /** Which secrets are there and since when; reads none of them. */
  async list(): Promise<KeptSecret[]> {
    const inMemory = [...this.#forThisRun.values()].map((item) => item.kept)
    if ((await this.state()).state !== 'ready' || this.#keychain === undefined) return inMemory
    return [...inMemory, ...(await this.#readIndex(this.#keychain)).kept]
  }

  /** True while it is in no keychain and ends with this run. */
  isForThisRun(machineId: string, kind: SecretKind): boolean {
    return this.#forThisRun.has(accountOf(machineId, kind))
  }

  /** A round trip through the real thing, because a keychain that answers may still not take anything. */
  async #probe(): Promise<KeychainState> {
    let keychain: Keychain
    try {
      keychain = await this.#options.open()
    } catch {
      return { state: 'missing', detail: `${missingKeychain[process.platform] ?? missingKeychain.other} ${forThisRun}` }
    }
    try {
      const index = await this.#limited(this.#readIndex(keychain))
      if (index.canary === '') {
        index.canary = randomBytes(18).toString('base64url')
        await this.#limited(this.#writeIndex(keychain, index))
      }
      if (await this.#options.isPlain(index.canary)) {
        if (index.kept.length === 0) await keychain.delete(indexAccount)
        return { state: 'weak', detail: `The keychain's file is not encrypted: give it a password. ${forThisRun}` }
      }
      this.#keychain = keychain
      return ready
    } catch (error) {
      return unusable(error)
    }
  }

  async #readIndex(keychain: Keychain): Promise<Index> {
    const text = await keychain.get(indexAccount)
    try {
      const value = JSON.parse(text ?? '') as Partial<Index>
      if (typeof value.canary === 'string' && Array.isArray(value.kept))
        return { canary: value.canary, kept: value.kept }
    } catch {
      // Not ours or damaged: it holds no secret, so it is written anew.
    }
    return { canary: '', kept: [] }
  }

  #writeIndex(keychain: Keychain, index: Index): Promise<void> {
    return keychain.set(indexAccount, JSON.stringify(index))
  }

  /** One change at a time: two at once would each write the index without the other's entry. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const next = this.#turn.then(() => this.#limited(change()))
    this.#turn = next.catch(() => {})
    return next
  }

  async #limited<Result>(work: Promise<Result>, limitMs = this.#options.limitMs): Promise<Result> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new KeychainSilent()), limitMs)
    })
    try {
      return await Promise.race([work, limit])
    } finally {
      clearTimeout(timer)
    }
  }
}

class KeychainSilent extends Error {
  constructor() {
    super('The keychain did not answer in time.')
  }
}

const missingKeychain: Record<string, string> & { other: string } = {
  linux: 'There is no Secret Service (such as GNOME Keyring, KWallet or KeePassXC) in this session.',
  other: 'The keychain of this computer cannot be reached.',
}

function accountOf(machineId: string, kind: SecretKind): string {
  return `${machineId}:${kind}`
}

function unusable(error: unknown): KeychainState {
  const message = error instanceof Error ? error.message : ''
  if (error instanceof KeychainSilent || /lock|dismissed|prompt/i.test(message)) {
    return { state: 'locked', detail: `The keychain is locked: unlock it, then try again. ${forThisRun}` }
  }
  if (/no result found/i.test(message)) {
    return { state: 'missing', detail: `The Secret Service has no keyring yet: create one. ${forThisRun}` }
  }
  return { state: 'missing', detail: `The keychain does not work (${message}). ${forThisRun}` }
}
