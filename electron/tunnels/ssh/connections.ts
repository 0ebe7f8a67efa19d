import type { Log } from '../../log.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Prompts } from '../prompts.ts'
import { SshConnection } from './connection.ts'
import type { SshDeps } from './hop.ts'
import type { Identities } from './identities.ts'
import { type SshEnvironment, type SshWish, systemEnvironment } from './resolve-host.ts'
import type { RouteStep } from './route.ts'

export interface SshConnectionsDeps {
  prompts: Pick<Prompts, 'ask'>
  vault: Pick<Vault, 'get' | 'set' | 'state'>
  log: Log
  environment?: () => SshEnvironment
}

/** Every SSH connection of this console: one for each host, whoever wants it. */
export class SshConnections {
  readonly #deps: SshConnectionsDeps
  #identities: Promise<Identities> | undefined
  readonly #held = new Map<string, { connection: SshConnection; users: number }>()

  constructor(deps: SshConnectionsDeps) {
    this.#deps = deps
  }

  /** The connection to a host, and the way to let go of it: the last one to do so closes it. */
  hold(wish: SshWish): { connection: SshConnection; release: () => void } {
    const name = `${wish.user ?? ''}@${wish.host}:${wish.port ?? ''}`
    const held = this.#held.get(name) ?? { connection: this.#make(wish), users: 0 }
    held.users++
    this.#held.set(name, held)
    let released = false
    return {
      connection: held.connection,
      release: () => {
        if (released) return
        released = true
        if (--held.users > 0) return
        this.#held.delete(name)
        held.connection.close()
      },
    }
  }

  all(): SshConnection[] {
    return [...this.#held.values()].map(({ connection }) => connection)
  }

  /** A connection of its own that tells each step, for trying a way out. */
  tryOut(wish: SshWish, onStep: (step: RouteStep) => void): SshConnection {
    return this.#make(wish, onStep)
  }

  environment(): SshEnvironment {
    return (this.#deps.environment ?? systemEnvironment)()
  }

  #make(wish: SshWish, onStep?: (step: RouteStep) => void): SshConnection {
    return new SshConnection(wish, {
      load: () => this.#load(),
      environment: () => this.environment(),
      ...(onStep !== undefined && { onStep }),
    })
  }

  async #load(): Promise<SshDeps> {
    const { prompts, vault, log } = this.#deps
    this.#identities ??= import('./identities.ts').then(({ Identities }) => new Identities(prompts, vault))
    return { prompts, log, identities: await this.#identities }
  }
}
