import { type SocketName, type SocketReceive, type SocketSend, socketsByName } from '../contract/index.ts'
import { parseJson } from '../contract/wire.ts'
import { describeIssues, Problem } from '../errors.ts'
import type { TransportSocket } from './transport.ts'

/** What Chromium itself takes of a tree that is nested in another. */
const maxProxiedDepth = 1000

/** One open socket: JSON frames as the contract's types, binary frames as bytes. */
export class AgentSocket<Name extends SocketName> {
  readonly #name: Name
  readonly #socket: TransportSocket
  onMessage: (message: SocketReceive<Name>) => void = () => {}
  onBytes: (bytes: Uint8Array) => void = () => {}
  onClose: (code: number, reason: string) => void = () => {}
  /** Resolves, never rejects, when the socket is closed by either side. */
  readonly closed: Promise<{ code: number; reason: string }>

  constructor(name: Name, socket: TransportSocket) {
    this.#name = name
    this.#socket = socket
    this.closed = new Promise((resolve) => {
      socket.onClose = (code, reason) => {
        this.onClose(code, reason)
        resolve({ code, reason })
      }
    })
    // Handlers are set by whoever awaited `open`, so frames are let in only afterwards.
    queueMicrotask(() => {
      socket.onFrame = (data) => this.#receive(data)
    })
  }

  send(message: SocketSend<Name>): void {
    this.#socket.send(JSON.stringify(message))
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes)
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedBytes
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason)
  }

  #receive(data: string | Uint8Array): void {
    if (typeof data !== 'string') return this.onBytes(data)
    try {
      const { receive, proxied } = socketsByName[this.#name]
      // Another program's format: Chromium describes a page's tree as one.
      const checked = receive.safeParse(proxied ? parseJson(data, maxProxiedDepth) : parseJson(data))
      if (!checked.success) throw new Problem('bad-answer', describeIssues(checked.error))
      this.onMessage(checked.data as SocketReceive<Name>)
    } catch {
      // A peer that does not keep to the contract is left, not argued with.
      this.#socket.close(1007, 'not in the contract')
    }
  }
}
