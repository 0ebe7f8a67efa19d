import type { z } from 'zod'
import type { networkRequest } from '../../shared/contract/page-watching.ts'
import { isWithoutBody } from '../../shared/domain/http-answer.ts'
import { withoutLogin } from '../browser/address.ts'
import type { CdpParams, CdpSession } from '../browser/cdp.ts'
import { keptText } from './kept-text.ts'
import { Ring } from './ring.ts'

export type NetworkRequest = z.infer<typeof networkRequest>

const kept = 1000
const maxUrl = 4096
/** Of what a page or its server may make as long as it likes: a method, a type. */
const maxWord = 200

interface Entry {
  id: string
  /** Seconds on the browser's own clock. */
  startedAt: number
  /** Bytes so far: what one that is broken off has cost; null before any answer. */
  received: number | null
  /** The server said that what the cache has is still good, and the page was given that. */
  unchanged: boolean
  shown: NetworkRequest
}
interface Response {
  status?: number
  mimeType?: string
  encodedDataLength?: number
  timing?: { requestTime?: number }
}

/**
 * What pages, frames and workers fetch. A request is known by its id alone: that of a frame which moves to
 * another process begins in one session and ends in another.
 */
export class NetworkLog {
  readonly #open = new Map<string, Entry>()
  readonly #ring = new Ring<Entry>(kept, (entry) => {
    if (this.#open.get(entry.id) === entry) this.#open.delete(entry.id)
  })
  readonly #onEnd: (request: NetworkRequest) => void
  readonly #explain: (url: string, error: string) => string

  constructor(onEnd: (request: NetworkRequest) => void, explain = (_url: string, error: string) => error) {
    this.#onEnd = onEnd
    this.#explain = explain
  }

  list(): NetworkRequest[] {
    return this.#ring.list().map((entry) => entry.shown)
  }

  follow(cdp: CdpSession): () => void {
    const handlers: Record<string, (params: CdpParams) => void> = {
      'Network.requestWillBeSent': (params) => this.#sent(params),
      'Network.responseReceived': (params) => this.#answered(params, params['response'] as Response),
      'Network.responseReceivedExtraInfo': (params) => this.#raw(params),
      'Network.dataReceived': (params) => this.#data(params),
      'Network.loadingFinished': (params) => this.#finished(params),
      'Network.loadingFailed': (params) => this.#failed(params),
      'Network.webSocketCreated': (params) => this.#webSocket(params),
      'Network.webSocketWillSendHandshakeRequest': (params) => this.#handshake(params),
      'Network.webSocketHandshakeResponseReceived': (params) => this.#answered(params, params['response'] as Response),
      'Network.webSocketClosed': (params) => this.#end(params, null),
    }
    const stops = Object.entries(handlers).map(([method, handler]) => cdp.on(method, handler))
    return () => {
      for (const stop of stops) stop()
    }
  }

  #sent(params: CdpParams): void {
    const id = String(params['requestId'])
    const { url, method } = params['request'] as { url: string; method: string }
    const redirect = params['redirectResponse'] as Response | undefined
    // Each hop of a redirect is a request of its own, as DevTools shows it.
    if (redirect !== undefined) {
      this.#answered(params, redirect)
      this.#end(params, redirect.encodedDataLength ?? null)
    } else if (this.#open.has(id)) return
    this.#begin(id, url, method, Number(params['timestamp']), Number(params['wallTime']) * 1000)
  }

  /** Its time is told with the handshake only. */
  #webSocket(params: CdpParams): void {
    this.#begin(String(params['requestId']), String(params['url']), 'GET', Number.NaN, Date.now())
  }

  #handshake(params: CdpParams): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry !== undefined) entry.startedAt = Number(params['timestamp'])
  }

  #begin(id: string, url: string, method: string, startedAt: number, wallMs: number): void {
    const timestamp = new Date(wallMs).toISOString()
    const unknown = { status: null, mimeType: null, responseSize: null, duration: null, failed: null }
    const shown = { url: keptText(withoutLogin(url), maxUrl), method: keptText(method, maxWord), timestamp, ...unknown }
    const entry = { id, startedAt, received: null, unchanged: false, shown }
    this.#open.set(id, entry)
    this.#ring.push(entry)
  }

  #answered(params: CdpParams, response: Response): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry === undefined) return
    entry.shown.status = entry.unchanged ? 304 : (response.status ?? null)
    entry.received = Math.max(0, response.encodedDataLength ?? 0)
    entry.shown.mimeType = keptText(response.mimeType ?? '', maxWord) || null
    // DevTools counts from here, not from when the page asked: queueing is shown apart.
    entry.startedAt = response.timing?.requestTime ?? entry.startedAt
  }

  /** The answer as it came, which may be told before or after the one that the page was given. */
  #raw(params: CdpParams): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry === undefined || params['statusCode'] !== 304) return
    entry.unchanged = true
    if (entry.shown.status !== null) entry.shown.status = 304
  }

  #data(params: CdpParams): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry !== undefined) entry.received = (entry.received ?? 0) + Number(params['encodedDataLength'])
  }

  #finished(params: CdpParams): void {
    this.#end(params, Number(params['encodedDataLength']))
  }

  #failed(params: CdpParams): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry !== undefined && isWhole(entry, params)) return this.#end(params, entry.received)
    const error = String(params['errorText'] || params['blockedReason'] || 'failed')
    if (entry !== undefined) entry.shown.failed = this.#explain(entry.shown.url, error)
    this.#end(params, entry?.received ?? null)
  }

  #end(params: CdpParams, size: number | null): void {
    const id = String(params['requestId'])
    const entry = this.#open.get(id)
    if (entry === undefined) return
    this.#open.delete(id)
    const seconds = Number(params['timestamp']) - entry.startedAt
    entry.shown.responseSize = size
    entry.shown.duration = Number.isFinite(seconds) ? Math.round(seconds * 1_000_000) / 1000 : null
    this.#onEnd(entry.shown)
  }
}

/** There is no more of the answer than its head; Chromium calls one aborted whose body the page does not ask for. */
function isWhole({ shown: { method, status } }: Entry, params: CdpParams): boolean {
  return params['errorText'] === 'net::ERR_ABORTED' && status !== null && isWithoutBody(method, status)
}
