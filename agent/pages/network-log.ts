import type { z } from 'zod'
import type { networkRequest } from '../../shared/contract/page-watching.ts'
import { isWithoutBody } from '../../shared/domain/http-answer.ts'
import { keptText } from '../../shared/domain/kept-text.ts'
import { withoutLogin } from '../browser/address.ts'
import type { CdpParams, CdpSession } from '../browser/cdp.ts'
import { Ring } from './ring.ts'

export type NetworkRequest = z.infer<typeof networkRequest>

const kept = 1000
const maxUrl = 4096
/** Of what a page or its server may make as long as it likes: a method, a type. */
const maxWord = 200

interface Entry {
  id: string
  /** The conversation in which it began, and what in there asked for it; empty where Chromium does not say. */
  by: CdpSession
  frameId: string
  loaderId: string
  /** Seconds on the browser's own clock. */
  startedAt: number
  /** Bytes so far: what one that is broken off has cost; null before any answer. */
  received: number | null
  /** The server said that what the cache has is still good, and the page was given that. */
  unchanged: boolean
  /** Why a socket could not be opened, or broke. */
  refused: string | null
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
  /** Their page is gone; of one that was sent to outlive it (`keepalive`, a beacon) the head of the answer is still told. */
  readonly #left = new Map<string, Entry>()
  readonly #ring = new Ring<Entry>(kept, (entry) => {
    for (const entries of [this.#open, this.#left]) if (entries.get(entry.id) === entry) entries.delete(entry.id)
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

  /** Takes what a conversation with this target tells; returns what ends it. */
  follow(cdp: CdpSession, targetId: string): () => void {
    const handlers: Record<string, (params: CdpParams) => void> = {
      'Network.requestWillBeSent': (params) => this.#sent(params, cdp),
      'Network.responseReceived': (params) => this.#answered(params, params['response'] as Response),
      'Network.responseReceivedExtraInfo': (params) => this.#raw(params),
      'Network.dataReceived': (params) => this.#data(params),
      'Network.loadingFinished': (params) => this.#finished(params),
      'Network.loadingFailed': (params) => this.#failed(params),
      'Network.webSocketCreated': (params) => this.#webSocket(params, cdp),
      'Network.webSocketWillSendHandshakeRequest': (params) => this.#handshake(params),
      'Network.webSocketHandshakeResponseReceived': (params) => this.#answered(params, params['response'] as Response),
      'Network.webSocketFrameError': (params) => this.#refused(params),
      'Network.webSocketClosed': (params) => this.#end(params, null),
    }
    handlers['Page.frameNavigated'] = ({ frame }) => {
      const { id, loaderId } = frame as { id: string; loaderId: string }
      // Frames below go with it. A socket says of neither what it belongs to.
      this.#abandon((entry) => {
        return entry.by === cdp && entry.loaderId !== loaderId && (id === targetId || entry.frameId === id)
      })
    }
    const stops = Object.entries(handlers).map(([method, handler]) => cdp.on(method, handler))
    return () => {
      for (const stop of stops) stop()
      // A document may come in the process that its frame moves to.
      this.#abandon(({ by, shown }) => by === cdp && shown.resourceType !== 'Document')
      // How a beacon ended nobody tells any more; that it was broken off is not said either.
      for (const entry of this.#left.values()) if (entry.by === cdp) this.#forget(entry)
    }
  }

  /** Whoever asked is gone, and Chromium tells no end: it was under way for good. */
  #abandon(which: (entry: Entry) => boolean): void {
    for (const entry of [...this.#open.values()].filter(which)) {
      const { shown } = entry
      this.#open.delete(entry.id)
      if (shown.status === null && shown.resourceType !== 'WebSocket') this.#left.set(entry.id, entry)
      if (isBeacon(entry)) continue
      if (shown.resourceType !== 'WebSocket') shown.failed = 'net::ERR_ABORTED'
      shown.responseSize = entry.received
      shown.duration = Math.max(0, Date.now() - Date.parse(shown.timestamp))
      this.#onEnd(shown)
    }
  }

  /** It went on without its page, and was answered: it was not broken off after all. */
  #outlived(id: string, status: unknown): void {
    const entry = this.#left.get(id)
    if (entry === undefined || typeof status !== 'number') return
    entry.shown.status = status
    entry.shown.failed = null
    this.#forget(entry)
  }

  #forget(entry: Entry): void {
    const { shown } = entry
    this.#left.delete(entry.id)
    // What was told as broken off is not told again as something new.
    const told = shown.duration !== null
    if (shown.failed === null) shown.duration = Math.max(0, Date.now() - Date.parse(shown.timestamp))
    if (!told) this.#onEnd(shown)
  }

  #sent(params: CdpParams, by: CdpSession): void {
    const id = String(params['requestId'])
    const { url, method } = params['request'] as { url: string; method: string }
    const redirect = params['redirectResponse'] as Response | undefined
    // Each hop of a redirect is a request of its own, as DevTools shows it.
    if (redirect !== undefined) {
      this.#answered(params, redirect)
      this.#end(params, redirect.encodedDataLength ?? null)
    } else if (this.#open.has(id)) return
    this.#begin(params, by, { url, method }, Number(params['timestamp']), Number(params['wallTime']) * 1000)
  }

  /** Its time is told with the handshake only. */
  #webSocket(params: CdpParams, by: CdpSession): void {
    const asked = { url: String(params['url']), method: 'GET' }
    this.#begin({ ...params, type: 'WebSocket' }, by, asked, Number.NaN, Date.now())
  }

  #handshake(params: CdpParams): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry !== undefined) entry.startedAt = Number(params['timestamp'])
  }

  /** Its end follows. */
  #refused(params: CdpParams): void {
    const entry = this.#open.get(String(params['requestId']))
    if (entry !== undefined) entry.refused = keptText(String(params['errorMessage'] ?? 'failed'), maxUrl)
  }

  #begin(
    params: CdpParams,
    by: CdpSession,
    { url, method }: { url: string; method: string },
    startedAt: number,
    wallMs: number,
  ): void {
    const id = String(params['requestId'])
    const timestamp = new Date(wallMs).toISOString()
    const unknown = { status: null, mimeType: null, responseSize: null, duration: null, failed: null }
    const said = { requestId: id, resourceType: keptText(String(params['type'] ?? 'Other'), maxWord) }
    const address = { url: keptText(withoutLogin(url), maxUrl), method: keptText(method, maxWord) }
    const shown = { ...said, ...address, timestamp, ...unknown }
    const whose = { by, frameId: String(params['frameId'] ?? ''), loaderId: String(params['loaderId'] ?? '') }
    const entry = { id, ...whose, startedAt, received: null, unchanged: false, refused: null, shown }
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
    const id = String(params['requestId'])
    const entry = this.#open.get(id)
    if (entry === undefined) return this.#outlived(id, params['statusCode'])
    if (params['statusCode'] !== 304) return
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
    entry.shown.failed ??= entry.refused
    entry.shown.responseSize = size
    // A socket that was refused before it asked anybody took no time; null would say that it is still under way.
    entry.shown.duration = Number.isFinite(seconds) ? Math.round(seconds * 1_000_000) / 1000 : 0
    this.#onEnd(entry.shown)
  }
}

/** What `sendBeacon` sends, and a link's `ping`: made to outlive the page. */
function isBeacon({ shown }: Entry): boolean {
  return shown.resourceType === 'Ping'
}

/** There is no more of the answer than its head; Chromium calls one aborted whose body the page does not ask for. */
function isWhole({ shown: { method, status } }: Entry, params: CdpParams): boolean {
  return params['errorText'] === 'net::ERR_ABORTED' && status !== null && isWithoutBody(method, status)
}
