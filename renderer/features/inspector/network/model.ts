import { callAgent } from '../../../app/bridge.ts'
import { Changing } from '../changing.ts'
import type { InspectorSession } from '../session.ts'
import { answered, ended, failedRow, type NetworkRow, recordedRow, sentRow, webSocketRow } from './rows.ts'

/** Beyond this the oldest go. */
const keptRows = 10_000
const lot = 500
/** Larger bodies are left where they are: a frame of the connection carries no more than a few megabytes. */
export const maxBodyBytes = 4_000_000

/** The document of a frame that runs apart may have ended before anyone could listen there. */
const afterAttachMs = 1000

type Params = Record<string, unknown>

/** What the pages of a machine fetch, over navigations and connections. */
export class NetworkModel extends Changing {
  readonly #session: InspectorSession
  /** In the order in which they were sent; a row is replaced, never changed. */
  #rows = new Map<string, NetworkRow>()
  /** The last hop of each request. */
  readonly #open = new Map<string, string>()
  #hops = 0
  #dropped = 0
  #recordAsked = false

  constructor(session: InspectorSession) {
    super()
    this.#session = session
    const on = (method: string, take: (params: Params, sessionId: string | undefined) => void) =>
      session.on(`Network.${method}`, take)
    on('requestWillBeSent', (params, sessionId) => this.#sent(params, sessionId))
    on('responseReceived', (params) =>
      this.#change(params, (row) => answered(row, params['response'] as Params, String(params['type']))),
    )
    on('requestServedFromCache', (params) => this.#change(params, (row) => ({ ...row, cached: 'memory cache' })))
    on('dataReceived', (params) =>
      this.#change(params, (row) => ({
        ...row,
        bodySize: row.bodySize + Number(params['dataLength']),
        size: (row.size ?? 0) + Number(params['encodedDataLength']),
      })),
    )
    on('loadingFinished', (params) =>
      this.#end(params, (row) => ended(row, params, Number(params['encodedDataLength']))),
    )
    on('loadingFailed', (params) => this.#end(params, (row) => failedRow(row, params)))
    on('webSocketCreated', (params, sessionId) => this.#begin(webSocketRow(params, this.#key(params), sessionId)))
    on('webSocketWillSendHandshakeRequest', (params) =>
      this.#change(params, (row) => ({
        ...row,
        startedAt: Number(params['timestamp']),
        requestHeaders: (params['request'] as { headers?: Record<string, string> }).headers ?? {},
      })),
    )
    on('webSocketHandshakeResponseReceived', (params) =>
      this.#change(params, (row) => answered(row, params['response'] as Params)),
    )
    on('webSocketFrameError', (params) =>
      this.#change(params, (row) => ({ ...row, failed: String(params['errorMessage']) })),
    )
    on('webSocketClosed', (params) => this.#end(params, (row) => ended(row, params, null)))
    session.onReset(() => this.#open.clear())
    session.onScope(({ sessionId }) => {
      session.send('Network.enable', {}, sessionId).catch(() => {})
      if (sessionId === undefined) void this.#askRecord()
      else setTimeout(() => void this.#complete(), afterAttachMs)
    })
  }

  get rows(): readonly NetworkRow[] {
    return [...this.#rows.values()]
  }

  get size(): number {
    return this.#rows.size
  }

  /** How many of the oldest had to go. */
  get dropped(): number {
    return this.#dropped
  }

  /** Adds what the agent recorded while nobody listened here, in outline. */
  async lookBack(): Promise<void> {
    const { requests } = await callAgent(this.#session.machineId, 'browser.network', { limit: 1000 })
    const known = new Set([...this.#rows.values()].map(({ url, at }) => `${Math.floor(at)} ${url}`))
    const missed = requests
      .map((request) => recordedRow(request, `record ${++this.#hops}`))
      .filter(({ url, at }) => !known.has(`${Math.floor(at)} ${url}`))
    if (missed.length === 0) return
    const rows = [...missed, ...this.#rows.values()].sort((a, b) => a.at - b.at)
    this.#rows = new Map(rows.map((row) => [row.key, row]))
    this.changed()
  }

  row(key: string): NetworkRow | undefined {
    return this.#rows.get(key)
  }

  clear(): void {
    // What is under way is still told about; without its beginning it would be nothing.
    this.#rows = new Map([...this.#rows].filter(([, row]) => row.endedAt === null && !row.recorded))
    this.#dropped = 0
    this.changed()
  }

  /** The body of an answer: text, or base64 where it is none. */
  async body({ requestId, sessionId }: NetworkRow): Promise<{ text: string; base64: boolean }> {
    const answer = await this.#session.send('Network.getResponseBody', { requestId }, sessionId)
    return { text: String(answer['body'] ?? ''), base64: answer['base64Encoded'] === true }
  }

  #key(params: Params): string {
    return `${String(params['requestId'])} ${++this.#hops}`
  }

  #sent(params: Params, sessionId: string | undefined): void {
    const redirect = params['redirectResponse'] as (Params & { encodedDataLength?: number }) | undefined
    // Each hop of a redirect is a request of its own.
    if (redirect !== undefined) {
      this.#change(params, (row) => answered(row, redirect))
      this.#end(params, (row) => ended(row, params, redirect.encodedDataLength ?? null))
    } else if (this.#open.has(String(params['requestId']))) return
    this.#begin(sentRow(params, this.#key(params), sessionId))
  }

  #begin(row: NetworkRow): void {
    this.#open.set(row.requestId, row.key)
    this.#rows.set(row.key, row)
    if (this.#rows.size > keptRows + lot) {
      const over = this.#rows.size - keptRows
      for (const key of [...this.#rows.keys()].slice(0, over)) this.#rows.delete(key)
      this.#dropped += over
    }
    this.changed()
  }

  #change(params: Params, change: (row: NetworkRow) => NetworkRow): void {
    const key = this.#open.get(String(params['requestId']))
    const row = key === undefined ? undefined : this.#rows.get(key)
    if (key === undefined || row === undefined) return
    this.#rows.set(key, change(row))
    this.changed()
  }

  #end(params: Params, change: (row: NetworkRow) => NetworkRow): void {
    this.#change(params, change)
    this.#open.delete(String(params['requestId']))
  }

  /** The agent listens from the first moment: its record says how documents ended whose end was not heard here. */
  async #complete(): Promise<void> {
    const open = [...this.#rows.values()].filter(({ type, endedAt }) => type === 'Document' && endedAt === null)
    if (open.length === 0) return
    const params = { limit: 1000 }
    const answer = await callAgent(this.#session.machineId, 'browser.network', params).catch(() => null)
    for (const row of open) {
      const found = answer?.requests.find(
        ({ url, timestamp }) => url === row.url && Date.parse(timestamp) === Math.floor(row.at),
      )
      if (found?.duration == null || this.#rows.get(row.key)?.endedAt !== null) continue
      const endedAt = (row.timing?.requestTime ?? row.startedAt) + found.duration / 1000
      this.#rows.set(row.key, { ...row, endedAt, size: found.responseSize, failed: found.failed })
      this.changed()
    }
  }

  /** What happened before anyone looked. */
  async #askRecord(): Promise<void> {
    if (this.#recordAsked) return
    this.#recordAsked = true
    await this.lookBack().catch(() => {
      this.#recordAsked = false
    })
  }
}

const models = new WeakMap<InspectorSession, NetworkModel>()

export function networkOf(session: InspectorSession): NetworkModel {
  const model = models.get(session) ?? new NetworkModel(session)
  models.set(session, model)
  return model
}
