import { callAgent } from '../../../app/bridge.ts'
import { Changing } from '../changing.ts'
import type { InspectorSession } from '../session.ts'
import { eventMessage, frameMessage, type Message, Messages } from './messages.ts'
import { isAbout, recordedRow, settledRow } from './record.ts'
import { answered, ended, failedRow, isUnderWay, type NetworkRow, sentRow, webSocketRow } from './rows.ts'

/** Beyond this the oldest go. */
const keptRows = 10_000
const lot = 500
/** Larger bodies are left where they are: a frame of the connection carries no more than a few megabytes. */
export const maxBodyBytes = 4_000_000

/** What a frame or a worker that runs apart asked for may have ended before anyone could listen there. */
const afterAttachMs = 1000

type Params = Record<string, unknown>

/** What the pages of a machine fetch, over navigations and connections. */
export class NetworkModel extends Changing {
  readonly #session: InspectorSession
  /** In the order in which they were sent; a row is replaced, never changed. */
  #rows = new Map<string, NetworkRow>()
  /** The last hop of each request. */
  readonly #open = new Map<string, string>()
  readonly #messages = new Messages()
  #hops = 0
  #dropped = 0
  /** What began until then was cleared away by a person, and does not come back from the record. */
  #clearedUntil = Number.NEGATIVE_INFINITY
  #settling: ReturnType<typeof setTimeout> | undefined

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
    on('webSocketFrameError', (params) => {
      this.#change(params, (row) => ({ ...row, failed: String(params['errorMessage']) }))
      this.#told(params, { kind: 'error', ...eventMessage({ ...params, data: params['errorMessage'] }) })
    })
    on('webSocketClosed', (params) => this.#end(params, (row) => ended(row, params, null)))
    on('webSocketFrameSent', (params) => this.#told(params, { kind: 'sent', ...frameMessage(params) }))
    on('webSocketFrameReceived', (params) => this.#told(params, { kind: 'received', ...frameMessage(params) }))
    on('eventSourceMessageReceived', (params) => this.#told(params, { kind: 'received', ...eventMessage(params) }))
    session.on('Page.frameNavigated', (params, sessionId) => this.#navigated(params, sessionId))
    session.on('Page.frameDetached', (params, sessionId) => {
      if (params['reason'] !== 'swap')
        this.#lose((row) => row.sessionId === sessionId && row.frameId === String(params['frameId']))
    })
    session.on('Target.detachedFromTarget', (params) =>
      this.#lose(({ sessionId }) => sessionId === String(params['sessionId'])),
    )
    session.on('Inspector.targetCrashed', (_params, crashed) => this.#lose(({ sessionId }) => sessionId === crashed))
    // The next connection may be one to the same page, where they go on.
    session.onReset(() => this.#lose(() => true))
    session.onScope(({ sessionId }) => {
      session.send('Network.enable', {}, sessionId).catch(() => {})
      // What happened before anyone looked, and while nobody did.
      if (sessionId === undefined) void this.lookBack().catch(() => {})
      this.#settleSoon()
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
    const known = new Set([...this.#rows.values()].flatMap(signs))
    const missed = requests
      .map((request) => recordedRow(request, `record ${++this.#hops}`))
      .filter((row) => row.at > this.#clearedUntil && !signs(row).some((sign) => known.has(sign)))
    if (missed.length === 0) return
    // What goes on with them is heard here from now on.
    for (const { requestId, key, endedAt } of missed)
      if (endedAt === null && requestId !== '' && !this.#open.has(requestId)) this.#open.set(requestId, key)
    const rows = [...missed, ...this.#rows.values()].sort((a, b) => a.at - b.at)
    this.#rows = new Map(rows.map((row) => [row.key, row]))
    this.changed()
  }

  row(key: string): NetworkRow | undefined {
    return this.#rows.get(key)
  }

  clear(): void {
    for (const { at } of this.#rows.values()) this.#clearedUntil = Math.max(this.#clearedUntil, at)
    // What is under way is still told about; without its beginning it would be nothing.
    this.#rows = new Map(
      [...this.#rows].filter(([, row]) => isUnderWay(row) && this.#open.get(row.requestId) === row.key),
    )
    this.#messages.clear()
    this.#dropped = 0
    this.changed()
  }

  /** What went over a socket or came in a stream of events, and how many of the oldest had to go. */
  messages(key: string): { list: readonly Message[]; dropped: number } {
    return this.#messages.of(key)
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
      const { url } = params['request'] as { url: string }
      this.#end(params, (row) => ({
        ...ended(row, params, redirect.encodedDataLength ?? null),
        redirectedTo: url,
      }))
    } else if (this.#open.has(String(params['requestId']))) return
    this.#begin(sentRow(params, this.#key(params), sessionId))
  }

  #begin(row: NetworkRow): void {
    this.#open.set(row.requestId, row.key)
    this.#rows.set(row.key, row)
    if (this.#rows.size > keptRows + lot) {
      const over = this.#rows.size - keptRows
      for (const key of [...this.#rows.keys()].slice(0, over)) {
        this.#rows.delete(key)
        this.#messages.forget(key)
      }
      this.#dropped += over
    }
    this.changed()
  }

  #change(params: Params, change: (row: NetworkRow) => NetworkRow): void {
    const key = this.#open.get(String(params['requestId']))
    const row = key === undefined ? undefined : this.#rows.get(key)
    if (key === undefined || row === undefined) return
    // It was thought lost, and is heard of again.
    this.#rows.set(key, { ...change(row), lost: false })
    this.changed()
  }

  #end(params: Params, change: (row: NetworkRow) => NetworkRow): void {
    const row = this.row(this.#open.get(String(params['requestId'])) ?? '')
    // Its beginning is on another clock than its end: the record has both.
    if (row?.recorded === true) return this.#settleSoon()
    this.#change(params, change)
    this.#open.delete(String(params['requestId']))
  }

  #told(params: Params, message: Message): void {
    const key = this.#open.get(String(params['requestId']))
    if (key === undefined || !this.#rows.has(key)) return
    this.#messages.add(key, message)
    this.#change(params, (row) => row)
  }

  /** A document makes way for the next one, and nobody tells how what it had asked for ends. */
  #navigated(params: Params, sessionId: string | undefined): void {
    const frame = params['frame'] as { id: string; parentId?: string; loaderId: string }
    // Frames below go with it. A socket says of neither what it belongs to.
    const isOf = (row: NetworkRow) =>
      frame.parentId === undefined || frame.id === this.#session.frameOf(sessionId) || row.frameId === frame.id
    this.#lose((row) => row.sessionId === sessionId && row.loaderId !== frame.loaderId && isOf(row))
  }

  #lose(which: (row: NetworkRow) => boolean): void {
    const gone = [...this.#open.values()].flatMap((key) => this.#rows.get(key) ?? []).filter(which)
    if (gone.length === 0) return
    for (const row of gone) this.#rows.set(row.key, { ...row, lost: true })
    this.changed()
    this.#settleSoon()
  }

  #settleSoon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined
      void this.#settle()
    }, afterAttachMs)
  }

  /** The agent listens everywhere from the first moment: its record says how those ended whose end was not heard here. */
  async #settle(): Promise<void> {
    const open = [...this.#open.entries()].flatMap(([id, key]) => {
      const row = this.#rows.get(key)
      return row === undefined ? [] : [{ id, row }]
    })
    if (open.length === 0) return
    const params = { limit: 1000 }
    const answer = await callAgent(this.#session.machineId, 'browser.network', params).catch(() => null)
    for (const { id, row } of open) {
      const found = answer?.requests.findLast((request) => isAbout(request, row))
      const now = this.#rows.get(row.key)
      const settled = found === undefined || now?.endedAt !== null ? undefined : settledRow(now, found)
      if (settled === undefined) continue
      this.#rows.set(row.key, settled)
      if (this.#open.get(id) === row.key) this.#open.delete(id)
      this.changed()
    }
  }
}

/** By either of these a row is known again: its moment, or Chromium's id, which the hops of a redirect share. */
const signs = ({ at, requestId, url }: NetworkRow) =>
  [`${Math.floor(at)} ${url}`, requestId && `${requestId} ${url}`].filter(Boolean)

const models = new WeakMap<InspectorSession, NetworkModel>()

export function networkOf(session: InspectorSession): NetworkModel {
  const model = models.get(session) ?? new NetworkModel(session)
  models.set(session, model)
  return model
}
