import http from 'node:http'
import net from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import WebSocket from 'ws'
import { parseJson } from '../contract/wire.ts'
import { Problem, problemSchema } from '../errors.ts'
import type { Transport, TransportRequest, TransportSocket } from './transport.ts'

/** Where an agent is: a Unix socket, a TCP address, or a way of one's own to get a byte stream to it. */
export type Address =
  | { socketPath: string }
  | { host: string; port: number }
  | { connect: () => Promise<Duplex>; hostHeader?: string }

/** The transport for Node and for the console's main process. */
export function nodeTransport(address: Address, options: { maxConnections?: number } = {}): Transport {
  const dial = dialer(address)
  const hostHeader = hostOf(address)
  const agent = new DialAgent(dial, { keepAlive: true, maxSockets: options.maxConnections ?? 8, timeout: 60_000 })
  const open = new Set<WebSocket>()
  return {
    request: (request) =>
      sendRequest(agent, hostHeader, request, (incoming) => readLimited(incoming, request.maxBytes)),
    stream: (request) =>
      sendRequest(agent, hostHeader, request, (incoming) => Readable.toWeb(incoming) as ReadableStream<Uint8Array>),
    socket: (path, headers, signal) => openSocket(dial, hostHeader, path, headers, signal, open),
    close() {
      agent.destroy()
      for (const socket of open) socket.terminate()
    },
  }
}

class DialAgent extends http.Agent {
  readonly #dial: () => Promise<Duplex>
  constructor(dial: () => Promise<Duplex>, options: http.AgentOptions) {
    super(options)
    this.#dial = dial
  }
  override createConnection(
    _options: unknown,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    this.#dial().then(
      (stream) => callback?.(null, stream),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    )
    return undefined
  }
}

function hostOf(address: Address): string {
  if ('host' in address) return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
  return 'hostHeader' in address && address.hostHeader !== undefined ? address.hostHeader : 'localhost'
}

function dialer(address: Address): () => Promise<Duplex> {
  if ('connect' in address) return address.connect
  return () =>
    new Promise((resolve, reject) => {
      const socket = 'socketPath' in address ? net.connect(address.socketPath) : net.connect(address.port, address.host)
      socket.setNoDelay(true)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(socket)
      })
    })
}

function sendRequest<Body>(
  agent: http.Agent,
  host: string,
  request: TransportRequest,
  read: (incoming: http.IncomingMessage) => Body | Promise<Body>,
): Promise<{ status: number; headers: Record<string, string>; body: Body }> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({
      agent,
      method: request.method,
      path: request.path,
      headers: {
        ...request.headers,
        host,
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
      },
      signal: request.signal,
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      // Read in this very turn: the connection may end in the next.
      Promise.resolve(read(incoming)).then(
        (body) => resolve({ status: incoming.statusCode ?? 0, headers: flat(incoming.headers), body }),
        reject,
      )
    })
    outgoing.end(request.body)
  })
}

function flat(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function readLimited(incoming: http.IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = () => {
      // Before the connection ends: otherwise it would look like one that was lost, and be tried again.
      reject(new Problem('bad-answer', `The answer is larger than ${maxBytes} bytes.`))
      incoming.destroy()
    }
    incoming.on('error', reject)
    if (Number(incoming.headers['content-length']) > maxBytes) return refuse()
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) refuse()
      else chunks.push(chunk)
    })
    incoming.on('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('aborted', () => reject(new Error('The connection ended in the middle of an answer.')))
  })
}

async function openSocket(
  dial: () => Promise<Duplex>,
  host: string,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  open: Set<WebSocket>,
): Promise<TransportSocket> {
  signal.throwIfAborted()
  const stream = await dial()
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://${host}${path}`, {
      headers: { ...headers, host },
      createConnection: (() => stream) as never,
      perMessageDeflate: false,
      maxPayload: 16 * 1024 * 1024,
    })
    const giveUp = () => {
      socket.terminate()
      reject(new Problem('timeout', 'The socket did not open in time.'))
    }
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('open', () => {
      signal.removeEventListener('abort', giveUp)
      open.add(socket)
      resolve(adapt(socket, open))
    })
    socket.once('error', (error) => {
      signal.removeEventListener('abort', giveUp)
      reject(error)
    })
    socket.once('unexpected-response', (_request, response) => {
      signal.removeEventListener('abort', giveUp)
      readLimited(response, 64 * 1024).then((body) => {
        try {
          reject(Problem.fromWire(problemSchema.parse(parseJson(new TextDecoder().decode(body)))))
        } catch {
          reject(new Problem('bad-answer', `The socket was refused with status ${response.statusCode}.`))
        }
      }, reject)
    })
  })
}

function adapt(socket: WebSocket, open: Set<WebSocket>): TransportSocket {
  // Held until a handler is there: the first frames may come with the upgrade's answer.
  socket.pause()
  let onFrame: ((data: string | Uint8Array) => void) | undefined
  const adapted: TransportSocket = {
    send: (data) => socket.send(data),
    get bufferedBytes() {
      return socket.bufferedAmount
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: (code, reason) => socket.close(code, reason),
    get onFrame() {
      return onFrame ?? (() => {})
    },
    set onFrame(handler) {
      onFrame = handler
      socket.resume()
    },
    onClose: () => {},
  }
  socket.on('message', (data: Buffer, isBinary) => onFrame?.(isBinary ? data : data.toString('utf8')))
  socket.on('error', () => {})
  socket.on('close', (code, reason) => {
    open.delete(socket)
    adapted.onClose(code, reason.toString('utf8'))
  })
  return adapted
}
