import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Problem } from '../../../shared/errors.ts'
import { isPrivateAddress } from '../../tunnels/private-address.ts'
import { type Challenge, readChallenge } from './challenge.ts'

export interface RegistryAccount {
  username: string
  password: string
}

export interface RegistryHttpOptions {
  address: string
  scope: string
  account: () => Promise<RegistryAccount | undefined>
  limitMs?: number | undefined
}

export interface RegistryAnswer {
  status: number
  headers: Headers
  /** Of the body, as registries count it. */
  digest: string
  json<Schema extends z.ZodType>(schema: Schema, what: string): z.output<Schema>
}

interface Ask {
  method?: 'GET' | 'HEAD'
  accept?: string
  signal: AbortSignal
}

const defaultLimitMs = 15_000
const maxBytes = 4 * 1024 * 1024
const tokenAnswer = z.object({ token: z.string().optional(), access_token: z.string().optional() })

/** Asks a registry, with whatever it wants to see first: nothing, a name and password, or a token from elsewhere. */
export class RegistryHttp {
  readonly #options: RegistryHttpOptions
  readonly #base: URL
  #authorization: string | undefined

  constructor(options: RegistryHttpOptions) {
    this.#options = options
    this.#base = readAddress(options.address)
  }

  async get(path: string, ask: Ask): Promise<RegistryAnswer> {
    const url = new URL(path, this.#base)
    // A page of the same list that stands elsewhere would get this registry's login.
    if (url.origin !== this.#base.origin) throw this.#garbage(`it points to ${url.host} for its next page`)
    let response = await this.#send(url, ask, this.#authorization)
    if (response.status === 401) {
      await response.body?.cancel()
      this.#authorization = await this.#authorize(response.headers.get('www-authenticate') ?? '', ask.signal)
      response = await this.#send(url, ask, this.#authorization)
    }
    return this.#read(response)
  }

  async #read(response: Response): Promise<RegistryAnswer> {
    const { status, headers } = response
    if (status === 401 || status === 403) {
      await response.body?.cancel()
      this.#authorization = undefined
      throw await this.#refused()
    }
    if (status === 429) {
      await response.body?.cancel()
      const retryAfterMs = retryAfter(headers.get('retry-after'))
      const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
      throw new Problem('too-many-requests', `${this.#base.host} wants to be asked less often: again ${when}.`, {
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      })
    }
    if (status >= 500) {
      await response.body?.cancel()
      throw new Problem('unreachable', `${this.#base.host} is in trouble (status ${status}). It is asked again later.`)
    }
    if (status >= 400 && status !== 404) {
      await response.body?.cancel()
      throw new Problem(
        'bad-answer',
        `${this.#base.host} refused the request (status ${status}). Is it a Docker registry?`,
      )
    }
    const bytes = await this.#bytes(response)
    return {
      ...{ status, headers, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` },
      json: (schema, what) => this.#json(schema, what, bytes),
    }
  }

  #json<Schema extends z.ZodType>(schema: Schema, what: string, bytes: Uint8Array): z.output<Schema> {
    let value: unknown
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    } catch {
      throw this.#garbage(`${what} is not JSON`)
    }
    const checked = schema.safeParse(value)
    if (!checked.success) throw this.#garbage(`${what} does not look like one`)
    return checked.data
  }

  async #bytes(response: Response): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let size = 0
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.length
        if (size > maxBytes) throw this.#garbage(`it sent more than ${maxBytes / 1024 / 1024} MB`)
        chunks.push(chunk)
      }
    } catch (error) {
      throw error instanceof Problem ? error : this.#unreachable(error)
    }
    return Buffer.concat(chunks)
  }

  async #send(url: URL, { method = 'GET', accept, signal }: Ask, authorization: string | undefined): Promise<Response> {
    const headers: Record<string, string> = { accept: accept ?? 'application/json' }
    if (authorization !== undefined) headers['authorization'] = authorization
    const limit = AbortSignal.timeout(this.#options.limitMs ?? defaultLimitMs)
    try {
      // A redirect to a store of blobs is followed; the login stays behind when that is another host.
      return await fetch(url, { method, headers, redirect: 'follow', signal: AbortSignal.any([signal, limit]) })
    } catch (error) {
      if (signal.aborted) throw new Problem('cancelled', 'The registry is no longer asked.')
      throw this.#unreachable(error)
    }
  }

  async #authorize(header: string, signal: AbortSignal): Promise<string> {
    const challenge = readChallenge(header)
    const account = await this.#options.account()
    if (challenge === undefined) throw await this.#refused()
    const basic =
      account === undefined
        ? undefined
        : `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`
    if (challenge.scheme === 'basic') {
      if (basic === undefined) throw await this.#refused()
      return basic
    }
    const response = await this.#send(this.#realm(challenge), { signal }, basic)
    const answer = await this.#read(response)
    const { token, access_token } = answer.json(tokenAnswer, 'the token')
    const found = token ?? access_token
    if (answer.status !== 200 || found === undefined || !/^[\x21-\x7e]+$/.test(found))
      throw this.#garbage('it gave no token')
    return `Bearer ${found}`
  }

  #realm({ params }: Challenge): URL {
    let url: URL
    try {
      url = new URL(params['realm'] ?? '')
    } catch {
      throw this.#garbage('it does not say where to get a token')
    }
    // The login goes there: never in the clear, unless the registry itself is spoken to that way and stands there too.
    const sameHost =
      url.origin === this.#base.origin || (url.hostname === this.#base.hostname && this.#base.protocol === 'http:')
    if (url.protocol !== 'https:' && !sameHost)
      throw this.#garbage(`it wants the login sent to ${url.host} without encryption`)
    url.username = ''
    url.password = ''
    if (params['service'] !== undefined) url.searchParams.set('service', params['service'])
    url.searchParams.set('scope', params['scope'] ?? this.#options.scope)
    return url
  }

  async #refused(): Promise<Problem> {
    const { host } = this.#base
    const known = (await this.#options.account()) !== undefined
    const next = known ? 'Enter a login that may read this repository.' : 'Enter a login for it.'
    return new Problem('unauthorized', `${host} does not let us read there. ${next}`)
  }

  #garbage(what: string): Problem {
    return new Problem(
      'bad-answer',
      `${this.#base.host} gave an answer that makes no sense: ${what}. Check the address.`,
    )
  }

  #unreachable(error: unknown): Problem {
    const cause = error instanceof Error ? (error.cause instanceof Error ? error.cause : error) : undefined
    const late = cause?.name === 'TimeoutError'
    const code = (cause as { code?: unknown } | undefined)?.code
    const why = late ? 'it did not answer in time' : typeof code === 'string' ? code : (cause?.message ?? 'unknown')
    return new Problem(
      late ? 'timeout' : 'unreachable',
      `${this.#base.host} cannot be reached (${why}). Check the address and the network.`,
    )
  }
}

/** Without encryption only where nobody stands in between: this computer and private networks. */
export function readAddress(text: string): URL {
  let url: URL
  try {
    url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)
  } catch {
    throw new Problem('invalid-url', `"${text}" is not the address of a registry, such as https://registry.example.`)
  }
  if (
    url.protocol === 'http:' &&
    url.hostname !== 'localhost' &&
    !isPrivateAddress(url.hostname.replace(/^\[|\]$/g, ''))
  ) {
    throw new Problem(
      'invalid-url',
      `${url.host} is not on a private network: use https, so that nobody reads the login.`,
    )
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Problem('invalid-url', 'A registry is spoken to over https.')
  }
  return new URL(url.origin)
}

function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,6}$/.test(header.trim())) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
