import { dial } from './dial.ts'
import { privateAddressOf } from './private-address.ts'
import { openSockets, type TunnelSockets } from './sockets.ts'
import type { Tunnel } from './tunnel.ts'

/** Straight to an address of a private network. */
export function openDirect({ host, port }: { host: string; port: number }): Tunnel & TunnelSockets {
  const shown = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
  return openSockets({
    connect: async () => dial(await privateAddressOf(host), port),
    hostHeader: shown,
    detail: shown,
  })
}
