import type { IncomingHttpHeaders } from 'node:http'
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

/** A host without its port and brackets, in lower case. */
function normal(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(host)
  if (bracketed?.[1] !== undefined) return bracketed[1].toLowerCase()
  const colons = host.split(':').length - 1
  return (colons === 1 ? host.slice(0, host.indexOf(':')) : host).toLowerCase()
}
