import { AgentClient } from '../../shared/client/client.ts'
import type { Problem } from '../../shared/errors.ts'
import type { Tunnel } from '../tunnels/tunnel.ts'
import type { MachineDeps } from './machine-deps.ts'
import { type Verdict, verifyOnce } from './verification.ts'

/** The one connection to a machine: made when first needed, and ended for everyone who waits on it. */
export class MachineConnection {
  readonly #machineId: string
  readonly #deps: Pick<MachineDeps, 'openTunnel' | 'secret' | 'operator'>
  #open: { tunnel: Tunnel; client: AgentClient } | undefined
  #life = new AbortController()

  constructor(machineId: string, deps: Pick<MachineDeps, 'openTunnel' | 'secret' | 'operator'>) {
    this.#machineId = machineId
    this.#deps = deps
  }

  /** Aborted, with the reason as a problem, when the connection is dropped. */
  get signal(): AbortSignal {
    return this.#life.signal
  }

  client(config: Parameters<MachineDeps['openTunnel']>[0]): AgentClient {
    if (this.#open !== undefined) return this.#open.client
    const tunnel = this.#deps.openTunnel(config)
    const client = new AgentClient(tunnel.transport(), {
      secret: () => this.#deps.secret(this.#machineId),
      operator: this.#deps.operator,
    })
    this.#open = { tunnel, client }
    return client
  }

  /** One call that proves the machine alive, and the one that is recorded. */
  async verify(config: Parameters<MachineDeps['openTunnel']>[0], agentId: string | null): Promise<Verdict> {
    const client = this.client(config)
    // Outside the check's own limit: a person may be asked about a host key or for a passphrase.
    await this.#open?.tunnel.ready?.()
    return verifyOnce(client, agentId)
  }

  drop(reason: Problem): void {
    this.#life.abort(reason)
    this.#life = new AbortController()
    this.#open?.tunnel.close()
    this.#open = undefined
  }
}
