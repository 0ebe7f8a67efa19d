import type { Destination } from './handshake.ts'

const maxKept = 500

/** Chromium's own words for it, which it would have used itself. */
const words: Record<string, string> = {
  ENOTFOUND: 'net::ERR_NAME_NOT_RESOLVED',
  EAI_AGAIN: 'net::ERR_NAME_NOT_RESOLVED',
  ECONNREFUSED: 'net::ERR_CONNECTION_REFUSED',
  ECONNRESET: 'net::ERR_CONNECTION_RESET',
  ETIMEDOUT: 'net::ERR_CONNECTION_TIMED_OUT',
  EHOSTUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  EACCES: 'net::ERR_NETWORK_ACCESS_DENIED',
}

/** Why Chromium was not connected: it is only told that it was not, and would tell people of a proxy they do not have. */
export class Failures {
  readonly #reasons = new Map<string, string>()
  #latest: string | undefined

  keep({ host, port }: Destination, error: unknown): void {
    const key = `${host}:${port}`
    const reason = words[codeOf(error)] ?? 'net::ERR_CONNECTION_FAILED'
    this.#latest = reason
    this.#reasons.delete(key)
    this.#reasons.set(key, reason)
    const [oldest] = this.#reasons.keys()
    if (this.#reasons.size > maxKept && oldest !== undefined) this.#reasons.delete(oldest)
  }

  forget({ host, port }: Destination): void {
    this.#reasons.delete(`${host}:${port}`)
  }

  /** What Chromium says of an address, in words that name the cause. */
  explain(url: string, error: string): string {
    if (!error.startsWith('net::ERR_SOCKS_CONNECTION')) return error
    const { hostname, port, protocol } = URL.parse(url) ?? new URL('http://unknown.invalid')
    const usual = protocol === 'https:' || protocol === 'wss:' ? '443' : '80'
    const own = this.#reasons.get(`${hostname.replace(/\.$/, '')}:${port === '' ? usual : port}`)
    // An address that led on to another one, which is not told.
    return own ?? this.#latest ?? error
  }
}

/** Of several addresses that were tried, the first one's. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return code
  return errors === undefined || errors.length === 0 ? '' : codeOf(errors[0])
}
