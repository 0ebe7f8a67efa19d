import { nodeTransport } from '../../shared/client/node.ts'
import { Problem } from '../../shared/errors.ts'
import type { Tunnel, TunnelSurroundings } from './tunnel.ts'

/** The agent of this computer, through the private socket it was told to listen on. */
export function openLocal({ localSocket }: TunnelSurroundings): Tunnel {
  const socketPath = localSocket()
  if (socketPath === undefined) {
    throw new Problem('unreachable', 'The agent of this computer is not running. Press Try it on this computer.')
  }
  const transport = nodeTransport({ socketPath })
  return {
    transport: () => transport,
    state: { state: 'up', detail: 'this computer' },
    close: () => transport.close(),
  }
}
