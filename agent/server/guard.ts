import type { IncomingHttpHeaders } from 'node:http'
import net from 'node:net'
import os from 'node:os'
import { Problem } from '../../shared/errors.ts'

/** Headers that only a browser sends of its own accord. */
const browserHeaders = ['origin', 'referer', 'sec-fetch-site'] as const

/**
 * No web page may reach the agent: not by a request, not by an upgrade, not through a name that was made
 * to point here (DNS rebinding). Checked before anything else, on every path.
 */
export function createGuard(hostNames: readonly string[]): (headers: IncomingHttpHeaders) => void {
  const names = new Set(['localhost', '127.0.0.1', '::1', os.hostname().toLowerCase(), ...hostNames.map(normal)])
  names.delete('')
  // Few different ones ever come; a stranger's inventions are not kept.
  const known = new Set<string>()
  return (headers) => {
    for (const name of browserHeaders) {
      if (headers[name] !== undefined) {
        throw new Problem(
          'browser-refused',
          `Requests with "${name}" come from web pages and are refused. Use a client.`,
        )
      }
    }
    const host = headers.host
    if (host !== undefined && known.has(host)) return
    if (host === undefined || !names.has(normal(host))) {
      throw new Problem(
        'unknown-host',
        'The Host header is not a name of this agent. Use its address, or add the name to PILOTHOUSE_HOST_NAMES.',
      )
    }
    if (known.size < 100) known.add(host)
  }
}

/** A host without its port, its brackets and the dot of the root, in lower case; an address as it is usually written. */
function normal(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host)?.[1]
  const address = bracketed ?? (net.isIPv6(host) ? host : undefined)
  if (address !== undefined)
    return net.isIPv6(address) ? new net.SocketAddress({ address, family: 'ipv6' }).address : ''
  return host
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
}
