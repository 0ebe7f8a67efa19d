import ssh2, { type ParsedKey, type SignCallback } from 'ssh2'
import { agentKeyTypes } from './agent-key-types.ts'
import type { Identities, Identity } from './identities.ts'
import type { SshHost } from './resolve-host.ts'

type Listed = (error?: Error | null, keys?: ParsedKey[]) => void

/**
 * Everything a server may be offered, in OpenSSH's order: the SSH agent's keys first, those that the configuration
 * names before the others, then the keys in files. ssh2 offers an agent's public keys one by one and asks for a
 * signature only for one that the server takes; so a passphrase is asked for only where it leads somewhere.
 */
export class OfferedKeys extends ssh2.BaseAgent<ParsedKey> {
  readonly #host: SshHost
  readonly #identities: Identities
  readonly #agent: ssh2.OpenSSHAgent | undefined
  readonly #inFiles = new Map<string, Identity>()
  /** How many were offered, and which locked ones nobody opened: for the message when none was let in. */
  offered = 0
  readonly unopened: string[] = []
  /** Types of keys that the SSH agent has and that cannot be used here: certificates, and keys in hardware. */
  unusable: string[] = []

  readonly #waiting: <Result>(work: Promise<Result>) => Promise<Result>

  constructor(
    host: SshHost,
    identities: Identities,
    waitingForPerson: <Result>(work: Promise<Result>) => Promise<Result>,
  ) {
    super()
    this.#host = host
    this.#waiting = waitingForPerson
    this.#identities = identities
    this.#agent = host.agentSocket === undefined ? undefined : new ssh2.OpenSSHAgent(host.agentSocket)
  }

  override getIdentities(callback: Listed): void {
    this.#list().then(
      (keys) => {
        this.offered = keys.length
        callback(null, keys)
      },
      (error: Error) => callback(error),
    )
  }

  override sign(
    key: ParsedKey,
    data: Buffer,
    given: ssh2.SigningRequestOptions | SignCallback,
    callback?: SignCallback,
  ): void {
    const options = typeof given === 'function' ? {} : given
    const done = typeof given === 'function' ? given : (callback ?? (() => {}))
    const identity = this.#inFiles.get(nameOf(key.getPublicSSH()))
    if (identity === undefined) {
      if (this.#agent === undefined) return done(new Error('there is no SSH agent'))
      this.#agent.sign(key, data, options, done)
      return
    }
    this.#signWithFile(identity, data, options).then(
      (signature) => done(null, signature),
      (error: Error) => done(error),
    )
  }

  async #signWithFile(identity: Identity, data: Buffer, options: ssh2.SigningRequestOptions): Promise<Buffer> {
    const key = await this.#waiting(this.#identities.unlock(identity))
    if (key === undefined) {
      this.unopened.push(identity.file)
      throw new Error('the key stays locked')
    }
    return key.sign(data, options.hash)
  }

  async #list(): Promise<ParsedKey[]> {
    const inFiles = await this.#identities.read(this.#host.identityFiles)
    const [inAgent, types] = await Promise.all([this.#askAgent(), this.#agentTypes()])
    const usable = new Set<string>(inAgent.map(({ type }) => type))
    this.unusable = [...new Set(types)].filter((type) => !usable.has(type))
    const named = new Set(inFiles.map(({ publicKey }) => nameOf(publicKey)))
    const has = (key: ParsedKey) => named.has(nameOf(key.getPublicSSH()))
    const fromAgent = [...inAgent.filter(has), ...(this.#host.identitiesOnly ? [] : inAgent.filter((key) => !has(key)))]
    const known = new Set(fromAgent.map((key) => nameOf(key.getPublicSSH())))
    const fromFiles: ParsedKey[] = []
    for (const identity of inFiles) {
      const name = nameOf(identity.publicKey)
      if (identity.content === undefined || known.has(name)) continue
      const parsed = ssh2.utils.parseKey(identity.publicKey)
      const key = parsed instanceof Error ? undefined : [parsed].flat()[0]
      if (key === undefined) continue
      this.#inFiles.set(name, identity)
      fromFiles.push(key)
    }
    return [...fromAgent, ...fromFiles]
  }

  #agentTypes(): Promise<string[]> {
    const { agentSocket } = this.#host
    return agentSocket === undefined ? Promise.resolve([]) : agentKeyTypes(agentSocket)
  }

  /** An agent that does not answer has no keys; the files may still do. */
  #askAgent(): Promise<ParsedKey[]> {
    const agent = this.#agent
    if (agent === undefined) return Promise.resolve([])
    return new Promise((resolve) => {
      agent.getIdentities((_error: unknown, keys: unknown) => resolve(parsedKeys(keys)))
    })
  }
}

/** Certificates and tokens of kinds that ssh2 does not know are left out. */
function parsedKeys(keys: unknown): ParsedKey[] {
  if (!Array.isArray(keys)) return []
  return keys.flatMap((key: Buffer) => {
    const parsed = ssh2.utils.parseKey(key)
    return parsed instanceof Error ? [] : [parsed].flat()
  })
}

function nameOf(publicKey: Buffer): string {
  return publicKey.toString('base64')
}
