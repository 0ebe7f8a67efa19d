import type { IncomingMessage } from 'node:http'
import net from 'node:net'
import os from 'node:os'
import { Problem } from '../../shared/errors.ts'

/** Headers that only a browser sends of its own accord. */
const browserHeaders = ['origin', 'referer', 'sec-fetch-site'] as const

/** What a request says about where it comes from and whom it means. */
export type Addressed = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url' | 'socket'>

/**
 * No web page may reach the agent: not by a request, not by an upgrade, not through a name that was made
 * to point here (DNS rebinding). Checked before anything else, on every path.
 */
export function createGuard(hostNames: readonly string[]): (request: Addressed) => void {
  const names = new Set(['localhost', '127.0.0.1', '::1', os.hostname().toLowerCase(), ...hostNames.map(normal)])
  names.delete('')
  // Few different ones ever come; a stranger's inventions are not kept.
  const known = new Set<string>()
  // Who binds every address has not named them; the one that a connection came in on is ours, and no page can make it up.
  const isOurs = (host: string, socket: Addressed['socket']) =>
    known.has(host) || names.has(normal(host)) || (host !== '' && normal(host) === addressOf(socket))
  return ({ headers, rawHeaders, url, socket }) => {
    for (const name of browserHeaders) {
      if (headers[name] !== undefined) {
        throw new Problem(
          'browser-refused',
          `Requests with "${name}" come from web pages and are refused. Use a client.`,
        )
      }
    }
    const host = headers.host
    const target = authorityOf(url)
    const means = (name: string) => isOurs(name, socket)
    if (host === undefined || !means(host) || hasTwoHosts(rawHeaders) || (target !== undefined && !means(target))) {
      throw new Problem(
        'unknown-host',
        'The Host header is not a name of this agent. Use its address, or add the name to PILOTHOUSE_HOST_NAMES.',
      )
    }
    if (known.size < 100) known.add(host)
  }
}

/** Where a connection came in; undefined for the Unix socket. */
function addressOf({ localAddress }: Addressed['socket']): string | undefined {
  // One socket for both families sees the old one's addresses inside the new one's.
  return localAddress === undefined ? undefined : normal(localAddress.replace(/^::ffff:(?=\d+\.)/, ''))
}

/** A second name would be for whoever reads the last one: nobody honest sends it. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

const absolute = /^https?:\/\/([^/?#]*)/i

/** The host that stands in the request line itself, as clients write it to a proxy; undefined in all others. */
function authorityOf(url: string | undefined): string | undefined {
  return url === undefined || url.startsWith('/') ? undefined : absolute.exec(url)?.[1]
}

/** Path and query of a request line, whichever way it is written. */
export function splitUrl(url: string): [path: string, query: string] {
  const local = url.startsWith('/') ? url : url.replace(absolute, '').replace(/^(?=\?|$)/, '/')
  const mark = local.indexOf('?')
  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)]
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
