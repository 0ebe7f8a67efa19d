import { Problem } from '../../shared/errors.ts'
import type { CredentialVerdict, KeptCredential } from '../../shared/ipc-settings.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { KeptSecret, SecretKind, Vault } from './vault.ts'

export interface CredentialsDeps {
  vault: Pick<Vault, 'list' | 'delete' | 'isForThisRun'>
  fleet: Pick<Fleet, 'has' | 'machine' | 'call'>
  /** A call of AWS that changes nothing, with these keys. */
  testAws: (name: string) => Promise<string>
  /** Whether the kept passphrase opens its key. */
  passphrases: {
    fileOf: (fingerprint: string) => Promise<string | undefined>
    opens: (fingerprint: string) => Promise<boolean>
  }
  /** Asks an environment's registry; throws what it says. */
  testRegistry: (environment: string) => Promise<void>
  removeAws: (name: string) => Promise<void>
  removeRegistry: (environment: string) => Promise<void>
  /** The key of the last pictures: whether it is there, and the way to let go of it with all that it opens. */
  pictures: { opens: () => Promise<boolean>; clear: () => Promise<void> }
}

type Which = Pick<KeptCredential, 'kind' | 'id'>

/** Every secret that is kept: that it is there, since when, and whether it still opens what it is for. Never its value. */
export class Credentials {
  readonly #deps: CredentialsDeps

  constructor(deps: CredentialsDeps) {
    this.#deps = deps
  }

  async list(): Promise<KeptCredential[]> {
    const { vault } = this.#deps
    const kept = await Promise.all((await vault.list()).map((secret) => this.#describe(secret)))
    return kept.sort((a, b) => a.kind.localeCompare(b.kind) || a.title.localeCompare(b.title))
  }

  async test({ kind, id }: Which): Promise<CredentialVerdict> {
    const kept = (await this.#deps.vault.list()).some((one) => one.kind === kind && nameIn(one) === id)
    if (!kept) throw new Problem('not-found', 'It is no longer kept. Look at the list again.')
    try {
      return { verdict: 'good', detail: await this.#try(kind, id) }
    } catch (error) {
      const problem = Problem.from(error)
      return { verdict: refuses.has(problem.code) ? 'refused' : 'untested', detail: problem.message }
    }
  }

  async remove({ kind, id }: Which): Promise<void> {
    const { vault, removeAws, removeRegistry, pictures } = this.#deps
    if (kind === 'aws') return removeAws(id)
    if (kind === 'registry') return removeRegistry(id)
    if (kind === 'pictures') return pictures.clear()
    await vault.delete(id, kind)
  }

  async #try(kind: SecretKind, id: string): Promise<string> {
    const { fleet, passphrases, pictures, testAws, testRegistry } = this.#deps
    switch (kind) {
      case 'aws':
        return testAws(id)
      case 'registry':
        await testRegistry(id)
        return 'The registry took the login.'
      case 'ssh-passphrase': {
        if (await passphrases.opens(id)) return 'It opens its key.'
        throw new Problem(
          'unauthorized',
          'It does not open its key. Remove it; it is asked for again when it is needed.',
        )
      }
      case 'pictures': {
        if (await pictures.opens()) return 'It is there, and opens the pictures that are kept.'
        throw new Problem('no-keychain', 'The keychain does not give it. Unlock the keychain, then test again.')
      }
      case 'agent-next':
        throw new Problem('conflict', 'It proves itself when its machine is next reached. Use Health check there.')
      case 'agent': {
        if (!fleet.has(id)) throw new Problem('not-found', 'Its machine is no longer in the fleet. Remove it.')
        const { agentVersion } = await fleet.call(id, 'machine.status', {}, { timeoutMs: 10_000 })
        return `The agent took it (version ${agentVersion}).`
      }
    }
  }

  async #describe(secret: KeptSecret): Promise<KeptCredential> {
    const { fleet, passphrases, vault } = this.#deps
    const { kind, since, machineId } = secret
    const where = vault.isForThisRun(machineId, kind) ? 'this-run' : 'keychain'
    const id = nameIn(secret)
    const base = { kind, id, since, where } as const
    switch (kind) {
      case 'aws':
        return { ...base, title: id, detail: 'AWS keys' }
      case 'registry':
        return { ...base, title: id, detail: 'Login of the registry' }
      case 'ssh-passphrase':
        return { ...base, title: (await passphrases.fileOf(id)) ?? id, detail: 'Passphrase of an SSH key' }
      case 'pictures':
        return { ...base, title: 'Last pictures', detail: 'Key of the pictures that are kept on this computer' }
      case 'agent':
      case 'agent-next': {
        const title = fleet.has(id) ? fleet.machine(id).record.name : id
        return { ...base, title, detail: kind === 'agent' ? 'Secret of its agent' : 'New secret, not proved yet' }
      }
    }
  }
}

/** Codes by which the other side has said no, as opposed to nothing. */
const refuses = new Set(['unauthorized', 'forbidden'])

/** What stands before the name says again what kind it is. */
function nameIn({ kind, machineId }: KeptSecret): string {
  return kind === 'aws' || kind === 'registry' ? machineId.replace(/^(aws|registry):/, '') : machineId
}
