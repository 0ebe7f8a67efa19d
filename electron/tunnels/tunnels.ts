import type { Tunnel as TunnelConfig } from '../../shared/domain/machine.ts'
import type { IpcResult, TailscalePeers, TunnelTestLink } from '../../shared/ipc.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault/vault.ts'
import { openTunnel } from './open-tunnel.ts'
import type { Prompts } from './prompts.ts'
import { type SleepWatchTimes, watchSleep } from './sleep-watch.ts'
import { SshConnections } from './ssh/connections.ts'
import { listHosts, type SshEnvironment } from './ssh/resolve-host.ts'
import { TailnetDirectory } from './tailscale.ts'
import { testTunnel } from './test-tunnel.ts'
import type { Tunnel } from './tunnel.ts'

export interface TunnelsDeps {
  localSocket: () => string | undefined
  prompts: Prompts
  vault: Pick<Vault, 'get' | 'set' | 'state'>
  log: Log
  /** Where SSH's files are; the user's own unless told otherwise. */
  environment?: () => SshEnvironment
  tailnet?: TailnetDirectory
  /** How closely is looked whether this computer slept. */
  sleepWatch?: SleepWatchTimes
}

/** Every way to every machine, and what is common to them: the person who is asked, and the laptop that sleeps. */
export class Tunnels {
  readonly ssh: SshConnections
  readonly #tailnet: TailnetDirectory
  readonly #deps: TunnelsDeps
  readonly #open = new Set<Tunnel & { resumed?: () => void }>()
  readonly #stopWatching: () => void

  constructor(deps: TunnelsDeps) {
    this.#deps = deps
    this.ssh = new SshConnections(deps)
    this.#tailnet = deps.tailnet ?? new TailnetDirectory()
    this.#stopWatching = watchSleep(() => this.resumed(), deps.sleepWatch)
  }

  open(config: TunnelConfig): Tunnel {
    const { localSocket } = this.#deps
    const tunnel: Tunnel = openTunnel(config, { localSocket, ssh: this.ssh, tailnet: this.#tailnet })
    this.#open.add(tunnel)
    const close = tunnel.close.bind(tunnel)
    tunnel.close = () => {
      this.#open.delete(tunnel)
      close()
    }
    return tunnel
  }

  /** Walks a way that is not kept yet, and says how far it came. */
  test(config: TunnelConfig, secret: string | undefined): Promise<TunnelTestLink[]> {
    this.personActs()
    return testTunnel(config, secret, { ssh: this.ssh, open: (one) => this.open(one) })
  }

  sshHosts(): Promise<string[]> {
    return listHosts(this.ssh.environment())
  }

  tailscalePeers(): Promise<TailscalePeers> {
    return this.#tailnet.status()
  }

  async diagnostics(): Promise<IpcResult<'tunnels.diagnostics'>> {
    const connections = this.ssh.all().map(({ wish, state, channels }) => ({
      host: wish.host,
      state: state.state,
      channels,
      detail:
        state.state === 'down'
          ? state.problem.message
          : state.state === 'up' && state.roundTripMs !== undefined
            ? `${Math.max(1, Math.round(state.roundTripMs))} ms`
            : '',
    }))
    const { sshNative } = await import('./ssh/native.ts')
    return { sshNative, connections }
  }

  /** SSH's own files and helpers on this computer. */
  async surroundings(): Promise<IpcResult<'tunnels.surroundings'>> {
    const { lookAround } = await import('./ssh/surroundings.ts')
    return lookAround(this.ssh.environment())
  }

  /** A person asked for something: what waited for them, or for a quieter moment, is tried at once. */
  personActs(): void {
    this.#deps.prompts.personActs()
    for (const connection of this.ssh.all()) connection.retryNow()
  }

  /** The laptop woke up: every way is looked at now instead of after its own silence. */
  resumed(): void {
    for (const connection of this.ssh.all()) {
      connection.retryNow()
      connection.probe()
    }
    for (const tunnel of this.#open) tunnel.resumed?.()
  }

  close(): void {
    this.#stopWatching()
    this.#deps.prompts.close()
    for (const tunnel of [...this.#open]) tunnel.close()
  }
}
