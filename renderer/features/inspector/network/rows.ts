/** A request as the table shows it, built from Chromium's events. */

import { isWithoutBody } from '../../../../shared/domain/http-answer.ts'
import { keptText } from '../../../../shared/domain/kept-text.ts'
import type { Frame } from '../console/entries.ts'
import { callsOf, type Initiator, initiatorText } from './initiator.ts'

export type Headers = Readonly<Record<string, string>>

interface Timing {
  requestTime: number
  proxyStart: number
  proxyEnd: number
  dnsStart: number
  dnsEnd: number
  connectStart: number
  connectEnd: number
  sslStart: number
  sslEnd: number
  workerStart: number
  sendStart: number
  sendEnd: number
  receiveHeadersEnd: number
}

interface Response {
  url?: string
  status?: number
  statusText?: string
  headers?: Headers
  mimeType?: string
  remoteIPAddress?: string
  remotePort?: number
  fromDiskCache?: boolean
  fromServiceWorker?: boolean
  fromPrefetchCache?: boolean
  encodedDataLength?: number
  timing?: Timing
  protocol?: string
}

export interface NetworkRow {
  /** Its own for each hop of a redirect. */
  key: string
  requestId: string
  sessionId: string | undefined
  /** The frame that asked, and which of its documents; empty where Chromium does not say. */
  frameId: string
  loaderId: string
  url: string
  method: string
  type: string
  status: number | null
  statusText: string
  mimeType: string
  /** Bytes on the wire; null while under way. */
  size: number | null
  /** Bytes of the body as the page reads it. */
  bodySize: number
  /** Seconds on the browser's clock. */
  startedAt: number
  endedAt: number | null
  /** Its end will hardly be heard: the document or worker that asked is gone, or the connection was interrupted. */
  lost: boolean
  /** Milliseconds of the machine's wall clock. */
  at: number
  failed: string | null
  cached: string | null
  protocol: string
  remote: string
  initiator: string
  /** The calls that led to it, newest first. */
  calls: readonly Frame[]
  requestHeaders: Headers
  responseHeaders: Headers | null
  postData: string | null
  /** It has a body, whether Chromium tells it or not. */
  hasPostData: boolean
  /** Where the server sent the page instead: the next hop is a row of its own. */
  redirectedTo: string | null
  timing: Timing | null
  /** From the agent's own record: the outline only. */
  recorded: boolean
}

type Params = Record<string, unknown>

/** What is longer is data, as much as a page likes. */
const maxUrl = 32_768

export function sentRow(params: Params, key: string, sessionId: string | undefined): NetworkRow {
  const request = params['request'] as {
    url: string
    method: string
    headers?: Headers
    postData?: string
    hasPostData?: boolean
  }
  const initiator = (params['initiator'] ?? {}) as Initiator
  return {
    ...blank,
    key,
    requestId: String(params['requestId']),
    sessionId,
    frameId: String(params['frameId'] ?? ''),
    loaderId: String(params['loaderId'] ?? ''),
    url: keptText(request.url, maxUrl),
    method: request.method,
    type: String(params['type'] ?? 'Other'),
    startedAt: Number(params['timestamp']),
    at: Number(params['wallTime']) * 1000,
    initiator: initiatorText(initiator),
    calls: callsOf(initiator),
    requestHeaders: request.headers ?? {},
    postData: request.postData ?? null,
    hasPostData: request.hasPostData ?? request.postData !== undefined,
  }
}

export const blank: NetworkRow = {
  key: '',
  requestId: '',
  sessionId: undefined,
  frameId: '',
  loaderId: '',
  url: '',
  method: 'GET',
  type: 'Other',
  status: null,
  statusText: '',
  mimeType: '',
  size: null,
  bodySize: 0,
  startedAt: 0,
  endedAt: null,
  lost: false,
  at: 0,
  failed: null,
  cached: null,
  protocol: '',
  remote: '',
  initiator: '',
  calls: [],
  requestHeaders: {},
  responseHeaders: null,
  postData: null,
  hasPostData: false,
  redirectedTo: null,
  timing: null,
  recorded: false,
}

export function answered(row: NetworkRow, response: Response, type?: string): NetworkRow {
  return {
    ...row,
    type: type ?? row.type,
    status: response.status ?? null,
    statusText: response.statusText ?? '',
    mimeType: response.mimeType ?? '',
    responseHeaders: response.headers ?? {},
    protocol: response.protocol ?? '',
    remote: response.remoteIPAddress ? `${response.remoteIPAddress}:${response.remotePort ?? ''}` : '',
    cached: cacheOf(response),
    timing: response.timing ?? null,
  }
}

const cacheOf = (response: Response) =>
  response.fromDiskCache === true
    ? 'disk cache'
    : response.fromServiceWorker === true
      ? 'service worker'
      : response.fromPrefetchCache === true
        ? 'prefetch cache'
        : null

export const ended = (row: NetworkRow, params: Params, size: number | null): NetworkRow => ({
  ...row,
  endedAt: Number(params['timestamp']),
  size: size ?? row.size ?? 0,
})

export function failedRow(row: NetworkRow, params: Params): NetworkRow {
  // All of it was there: Chromium calls one cancelled whose body, which it does not have, the page does not ask for.
  if (params['canceled'] === true && row.status !== null && isWithoutBody(row.method, row.status))
    return ended(row, params, null)
  const blocked =
    params['blockedReason'] ?? (params['corsErrorStatus'] as { corsError?: string } | undefined)?.corsError
  const why = params['canceled'] === true ? 'cancelled' : String(params['errorText'] || 'failed')
  return { ...ended(row, params, null), failed: blocked === undefined ? why : `${why} (${String(blocked)})` }
}

export function webSocketRow(params: Params, key: string, sessionId: string | undefined): NetworkRow {
  const initiator = (params['initiator'] ?? {}) as Initiator
  return {
    ...blank,
    ...{ key, sessionId, requestId: String(params['requestId']), url: String(params['url']), type: 'WebSocket' },
    ...{ initiator: initiatorText(initiator), calls: callsOf(initiator) },
    startedAt: Number.NaN,
    at: Date.now(),
  }
}

/** Whether more of it is to come. */
export const isUnderWay = ({ endedAt, lost }: NetworkRow) => endedAt === null && !lost

/** What became of it, in the few words that a table has room for. */
export function outcomeOf({ failed, status, lost, endedAt }: NetworkRow): string {
  // One that was refused says more by its number than by the page's losing interest.
  if (failed !== null && !(status !== null && status >= 400)) return failed.replace(/^net::/, '')
  if (status !== null) return String(status)
  return lost || endedAt !== null ? 'not known' : 'pending'
}

/** Milliseconds from the request to its end; null before that, and where it is not known. */
export function durationOf(row: NetworkRow): number | null {
  if (row.endedAt === null || !Number.isFinite(row.startedAt)) return null
  return Math.max(0, (row.endedAt - row.startedAt) * 1000)
}

export function nameOf(url: string): string {
  if (url.startsWith('data:')) return `${url.slice(0, 40)}…`
  try {
    const { pathname, search, host } = new URL(url)
    const last = pathname.split('/').filter(Boolean).at(-1)
    return last === undefined ? host + search : last + search
  } catch {
    return url
  }
}

export const isFailure = (row: NetworkRow) => row.failed !== null || (row.status !== null && row.status >= 400)

export interface Phase {
  name: string
  /** Milliseconds since the request was queued. */
  from: number
  ms: number
}

/** Where the time of a request went, in the words that browsers use. */
export function phasesOf(row: NetworkRow): Phase[] {
  const { timing, startedAt, endedAt } = row
  if (timing === null) return []
  const begun = (timing.requestTime - startedAt) * 1000
  const phase = (name: string, from: number, to: number): Phase[] =>
    from < 0 || to < 0 || to < from ? [] : [{ name, from: begun + from, ms: to - from }]
  const first = [timing.dnsStart, timing.connectStart, timing.sendStart].find((start) => start >= 0) ?? 0
  return [
    ...(begun > 0 ? [{ name: 'Queued', from: 0, ms: begun }] : []),
    ...phase('Waiting to start', 0, first),
    ...(timing.proxyEnd > timing.proxyStart ? phase('Proxy', timing.proxyStart, timing.proxyEnd) : []),
    ...phase('DNS', timing.dnsStart, timing.dnsEnd),
    ...phase('Connecting', timing.connectStart, timing.sslStart >= 0 ? timing.sslStart : timing.connectEnd),
    ...phase('TLS', timing.sslStart, timing.sslEnd),
    ...phase('Sending', timing.sendStart, timing.sendEnd),
    ...phase('Waiting for the answer', timing.sendEnd, timing.receiveHeadersEnd),
    ...(endedAt === null ? [] : phase('Receiving', timing.receiveHeadersEnd, (endedAt - timing.requestTime) * 1000)),
  ]
}

export type NetworkKey = 'name' | 'method' | 'status' | 'type' | 'size' | 'time' | 'waterfall'

/** What each column is sorted by; null stands last. */
export const networkOrder: Readonly<Record<NetworkKey, (row: NetworkRow) => string | number | null>> = {
  name: (row) => nameOf(row.url),
  method: (row) => row.method,
  status: (row) => row.status,
  type: (row) => row.type,
  size: (row) => row.size,
  time: durationOf,
  waterfall: (row) => row.at,
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`
}
