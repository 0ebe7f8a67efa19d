import { nodeTransport } from '../../../shared/client/node.ts'
import type { Tunnel, TunnelOf, TunnelState } from '../tunnel.ts'
import type { SshState } from './connection.ts'
import type { SshConnections } from './connections.ts'

/** Through SSH to the agent's socket or port. */
export function openSsh(config: TunnelOf<'ssh'>, connections: SshConnections): Tunnel {
  const { host, port, user, remote } = config
  const { connection, release } = connections.hold({ host, port, user })
  // The agent knows itself by this name, whichever way a request came.
  const transport = nodeTransport({ connect: () => connection.open(remote), hostHeader: 'localhost' })
  return {
    transport: () => transport,
    get state() {
      return shownState(connection.state, host)
    },
    ready: () => connection.ready(),
    close() {
      transport.close()
      release()
    },
  }
}

function shownState(state: SshState, host: string): TunnelState {
  switch (state.state) {
    case 'idle':
      return { state: 'off', detail: host }
    case 'connecting':
      return { state: 'busy', detail: `connecting to ${host}` }
    case 'up': {
      const delay = state.roundTripMs === undefined ? '' : ` · ${Math.max(1, Math.round(state.roundTripMs))} ms`
      return { state: 'up', detail: `${host}${delay}` }
    }
    case 'down':
      return { state: 'down', detail: state.problem.message }
  }
}
