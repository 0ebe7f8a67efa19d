import type { Duplex } from 'node:stream'
import { Problem } from '../../shared/errors.ts'
import type { TailscalePeers } from '../../shared/ipc.ts'
import { dial } from './dial.ts'
import { isPrivateAddress } from './private-address.ts'
import { openSockets, type TunnelSockets } from './sockets.ts'
import { tailscaleStatus } from './tailscale-status.ts'
import type { Tunnel, TunnelOf } from './tunnel.ts'

/** One question to Tailscale serves all machines that connect at the same time. */
const statusAgeMs = 3000

/** Straight to a peer's address in the tailnet, which encrypts by itself. */
export function openTailscale(config: TunnelOf<'tailscale'>, directory: TailnetDirectory): Tunnel & TunnelSockets {
  return openSockets({
    connect: () => directory.connect(config),
    // The address may change; the agent knows itself by this name as well.
    hostHeader: 'localhost',
    detail: `${config.peer}:${config.port}`,
  })
}

/** Who is in the tailnet, asked when it is needed. */
export class TailnetDirectory {
  readonly #ask: () => Promise<TailscalePeers>
  #last: { at: number; status: Promise<TailscalePeers> } | undefined

  constructor(ask: () => Promise<TailscalePeers> = () => tailscaleStatus()) {
    this.#ask = ask
  }

  status(): Promise<TailscalePeers> {
    if (this.#last === undefined || performance.now() - this.#last.at > statusAgeMs) {
      this.#last = { at: performance.now(), status: this.#ask() }
    }
    return this.#last.status
  }

  /** Tries whatever Tailscale says: its word is some minutes old at times, the attempt is not. */
  async connect({ peer: name, port }: TunnelOf<'tailscale'>): Promise<Duplex> {
    const { state, detail, peers } = await this.status()
    if (state !== 'ready') throw new Problem('tunnel-setup', detail)
    const lower = name.toLowerCase()
    const peer = peers.find((one) => one.name.toLowerCase() === lower || one.addresses.includes(lower))
    if (peer === undefined) {
      throw new Problem(
        'tunnel-setup',
        `There is no ${name} in this tailnet. Check its name, and which tailnet you are in.`,
      )
    }
    // Both families lead to the same machine; the first is the one that every program binds to.
    const address = peer.addresses.find(isPrivateAddress)
    if (address === undefined) throw new Problem('tunnel-setup', `Tailscale gives no address for ${name}.`)
    try {
      return await dial(address, port)
    } catch (error) {
      if (peer.online || (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error
      throw new Problem('unreachable', `${name} is offline in the tailnet. Start it, or log it in to Tailscale there.`)
    }
  }
}
