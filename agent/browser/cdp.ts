import { WebSocket } from 'ws'
import { parseJson } from '../../shared/contract/wire.ts'
import { Problem } from '../../shared/errors.ts'

/** A screenshot of a large page is the biggest message; a page must not be able to make the agent hold more. */
const maxMessageBytes = 256 * 1024 * 1024
const defaultTimeoutMs = 15_000

export type CdpParams = Record<string, unknown>
type Listener = (params: CdpParams, sessionId: string | undefined) => void

interface Pending {
  method: string
  resolve: (result: CdpParams) => void
  reject: (error: Problem) => void
  timer: NodeJS.Timeout
}

/**
 * A connection to Chromium's browser endpoint. Commands to a page go through a session made with `attach`.
 * Closing, from either side, rejects everything that is pending.
 */
export class CdpConnection {
  readonly #socket: WebSocket
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Map<string, Set<Listener>>()
  #lastId = 0
  /** Settles when the connection is closed, by whomever. */
  readonly closed: Promise<void>

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.#receive(String(data)))
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#rejectAll()
        resolve()
      })
    })
  }

  static connect(url: string, timeoutMs = 5000): Promise<CdpConnection> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, {
        perMessageDeflate: false,
        maxPayload: maxMessageBytes,
        handshakeTimeout: timeoutMs,
        // An address that the browser reports is never followed to somewhere else.
        followRedirects: false,
      })
      const failed = (error: Error) => reject(noAnswer(error))
      socket.once('error', failed)
      socket.once('open', () => {
        socket.off('error', failed)
        resolve(new CdpConnection(socket))
      })
    })
  }

  get open(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** Sends a command and waits for its answer. */
  send(
    method: string,
    params: CdpParams = {},
    options: { sessionId?: string | undefined; timeoutMs?: number } = {},
  ): Promise<CdpParams> {
    const { sessionId, timeoutMs = defaultTimeoutMs } = options
    if (!this.open) return Promise.reject(closedProblem(method))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id)
        reject(
          new Problem(
            'timeout',
            `The browser did not answer ${method} within ${timeoutMs} ms. Try again, or stop and start it.`,
          ),
        )
      }, timeoutMs)
      this.#pending.set(id, { method, resolve, reject, timer })
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })
  }

  /** Opens a session with one target: a page, a worker. */
  async attach(targetId: string): Promise<CdpSession> {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })
    return new CdpSession(this, String(sessionId))
  }

  /** Calls back for every event of that name, of any session; returns what ends it. */
  on(method: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(method) ?? new Set()
    this.#listeners.set(method, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  close(): void {
    this.#socket.terminate()
  }

  #receive(text: string): void {
    let message: { id?: number; method?: string; params?: CdpParams; sessionId?: string; result?: CdpParams } & {
      error?: { message?: string }
    }
    try {
      message = parseJson(text, 512) as typeof message
    } catch {
      return
    }
    if (message.id === undefined) {
      for (const listener of this.#listeners.get(message.method ?? '') ?? [])
        listener(message.params ?? {}, message.sessionId)
      return
    }
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return
    this.#pending.delete(message.id)
    clearTimeout(pending.timer)
    if (message.error === undefined) pending.resolve(message.result ?? {})
    else pending.reject(new Problem('cdp-error', `${pending.method}: ${message.error.message ?? 'no reason given'}`))
  }

  #rejectAll(): void {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer)
      pending.reject(closedProblem(pending.method))
    }
    this.#pending.clear()
  }
}

/** A conversation with one target over the shared connection. */
export class CdpSession {
  readonly #connection: CdpConnection
  readonly id: string

  constructor(connection: CdpConnection, id: string) {
    this.#connection = connection
    this.id = id
  }

  send(method: string, params: CdpParams = {}, timeoutMs?: number): Promise<CdpParams> {
    return this.#connection.send(method, params, {
      sessionId: this.id,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  }

  on(method: string, listener: (params: CdpParams) => void): () => void {
    return this.#connection.on(method, (params, sessionId) => {
      if (sessionId === this.id) listener(params)
    })
  }

  /** Leaves the target as it is. A target that is gone already needs no goodbye. */
  async detach(): Promise<void> {
    await this.#connection.send('Target.detachFromTarget', { sessionId: this.id }).catch(() => {})
  }
}

/** Of the debugging port, however it was asked. */
export function noAnswer(error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error)
  return new Problem('cdp-error', `Chromium's debugging port does not answer: ${why}. Stop and start the browser.`)
}

function closedProblem(method: string): Problem {
  return new Problem('cdp-error', `${method}: the connection to the browser is closed. Start it anew.`)
}
