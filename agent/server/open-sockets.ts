import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { SocketDefinition } from '../../shared/contract/define.ts'
import type { SocketName } from '../../shared/contract/index.ts'
import { parseJson } from '../../shared/contract/wire.ts'
import type { ProxiedStream, ServerSocket } from './handlers.ts'
import type { Counters } from './parts.ts'

/**
 * Tells when its peer says goodbye. The library tells no sooner than when TCP has ended as well, and who holds that open
 * would keep a command running.
 */
export class HeardSocket extends WebSocket {
  onGoodbye = () => {}

  /** The library calls this by itself when the peer's Close frame has come. */
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason)
    this.onGoodbye()
  }
}

/** All open sockets: one timer for all of them, and one way to close them. */
export class OpenSockets {
  readonly #open = new Map<HeardSocket, { alive: boolean }>()
  readonly #proxied = new Set<Duplex>()
  readonly #counters: Counters
  readonly #pingMs: number
  readonly #closeMs: number
  #timer: ReturnType<typeof setInterval> | undefined

  /** A peer that does not answer a ping until the next one is gone, whatever TCP believes. */
  constructor(counters: Counters, { pingMs, closeMs }: { pingMs: number; closeMs: number }) {
    this.#counters = counters
    this.#pingMs = pingMs
    this.#closeMs = closeMs
  }

  add(
    definition: SocketDefinition,
    websocket: HeardSocket,
    stream: Duplex,
    accept: (socket: ServerSocket<SocketName>) => void,
  ): void {
    const state = { alive: true }
    this.#open.set(websocket, state)
    this.#timer ??= setInterval(() => this.#ping(), this.#pingMs).unref()
    this.#count(1)
    websocket.on('pong', () => {
      state.alive = true
    })
    let over = false
    const close = () => {
      if (over) return
      over = true
      // What it says after its goodbye, or after one that it was told, is meant for nobody.
      socket.onMessage = () => {}
      socket.onBytes = () => {}
      socket.onClose()
    }
    const socket = adapt(definition, websocket, () => endWhenStill(websocket, stream, this.#closeMs))
    websocket.onGoodbye = () => {
      endWhenStill(websocket, stream, this.#closeMs)
      close()
    }
    websocket.on('close', () => {
      this.#open.delete(websocket)
      this.#count(0)
      if (this.#open.size === 0) {
        clearInterval(this.#timer)
        this.#timer = undefined
      }
      close()
    })
    accept(socket)
  }

  /** A connection whose frames are not ours to write: it cannot be pinged, so TCP has to notice that a peer is gone. */
  addProxied(proxied: ProxiedStream, accept: (socket: ProxiedStream) => void): void {
    const { stream } = proxied
    // Gone while Chromium was being asked: whoever proxies it sees that and clears up.
    if (stream.destroyed) return accept(proxied)
    if (stream instanceof Socket) stream.setKeepAlive(true, this.#pingMs)
    this.#proxied.add(stream)
    this.#count(1)
    stream.once('close', () => {
      this.#proxied.delete(stream)
      this.#count(0)
    })
    accept(proxied)
  }

  closeAll(code: number, reason: string): void {
    // Whoever proxies them has said goodbye already; what is still there goes.
    for (const stream of this.#proxied) setTimeout(() => stream.destroy(), 1000).unref()
    for (const websocket of this.#open.keys()) {
      websocket.close(code, reason)
      setTimeout(() => websocket.terminate(), 1000).unref()
    }
  }

  #count(opened: number): void {
    this.#counters.socketsOpened += opened
    this.#counters.socketsOpen = this.#open.size + this.#proxied.size
  }

  #ping(): void {
    for (const [websocket, state] of this.#open) {
      // Of a socket that we have stopped reading, its pongs are not read either; TCP notices when that peer is gone.
      if (!state.alive && !websocket.isPaused) websocket.terminate()
      state.alive = websocket.isPaused
      websocket.ping()
    }
  }
}

/** A client that never answers the close keeps nothing open; one that still takes in what was said before hears it all. */
function endWhenStill(websocket: WebSocket, stream: Duplex, closeMs: number): void {
  // Of what is being written a socket knows whether it moves.
  if (stream instanceof Socket) stream.setTimeout(closeMs, () => websocket.terminate())
  else setTimeout(() => websocket.terminate(), closeMs).unref()
}

function adapt(definition: SocketDefinition, websocket: HeardSocket, onClosing: () => void): ServerSocket<SocketName> {
  const socket: ServerSocket<SocketName> = {
    send: (message) => {
      if (websocket.readyState === websocket.OPEN) websocket.send(JSON.stringify(message))
    },
    sendBytes: (bytes) => {
      if (websocket.readyState === websocket.OPEN) websocket.send(bytes)
    },
    get bufferedBytes() {
      return websocket.bufferedAmount
    },
    pause: () => websocket.pause(),
    resume: () => websocket.resume(),
    close: (code, reason) => {
      // Whoever closes it here knows.
      websocket.onGoodbye = () => {}
      websocket.close(code, reason)
      onClosing()
    },
    onMessage: () => {},
    onBytes: () => {},
    onClose: () => {},
  }
  websocket.on('error', () => websocket.terminate())
  websocket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      if (definition.binary) socket.onBytes(data)
      else websocket.close(1003, 'this socket takes text')
      return
    }
    const message = read(definition, data.toString('utf8'))
    if (message === undefined) websocket.close(1008, 'not a message of this socket')
    else socket.onMessage(message as never)
  })
  return socket
}

function read(definition: SocketDefinition, text: string): unknown {
  try {
    const checked = definition.send.safeParse(parseJson(text))
    return checked.success ? checked.data : undefined
  } catch {
    return undefined
  }
}
