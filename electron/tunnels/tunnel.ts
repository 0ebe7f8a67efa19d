import type { Transport } from '../../shared/client/transport.ts'
import type { Tunnel as TunnelConfig } from '../../shared/domain/machine.ts'
import type { SshConnections } from './ssh/connections.ts'
import type { TailnetDirectory } from './tailscale.ts'

/** `down` carries why, as a sentence for the chain. */
export type TunnelState = { state: 'up'; detail: string } | { state: 'down' | 'off' | 'busy'; detail: string }

/** The one way to a machine, shared by everything that talks to it. */
export interface Tunnel {
  transport(): Transport
  readonly state: TunnelState
  /**
   * Resolves when the way is open, and rejects with what stands in it. Where a person has to be asked first
   * this takes as long as they do; ways without a connection of their own have no such step.
   */
  ready?(): Promise<void>
  close(): void
}

/** What a tunnel may need of the rest of the console. */
export interface TunnelSurroundings {
  /** Where the agent of this computer listens; undefined while it does not run. */
  localSocket(): string | undefined
  ssh: SshConnections
  tailnet: TailnetDirectory
}

export type OpenTunnel = (config: TunnelConfig, surroundings: TunnelSurroundings) => Tunnel
export type TunnelOf<Kind extends TunnelConfig['kind']> = Extract<TunnelConfig, { kind: Kind }>
