import type { RfbChannel } from '@novnc/novnc'
import type { PortStream } from '../../../shared/stream.ts'

/**
 * A WebSocket-shaped object over a port, which is all noVNC asks for: this window has no sockets.
 * noVNC looks for each of these as an own property or one of the prototype, so none may be missing.
 */
export class PortChannel implements RfbChannel {
  readyState = 'open'
  binaryType = 'arraybuffer'
  protocol = ''
  onopen: RfbChannel['onopen'] = null
  onclose: RfbChannel['onclose'] = null
  onerror: RfbChannel['onerror'] = null
  readonly #stream: PortStream
  #onmessage: RfbChannel['onmessage'] = null
  /** What came before anyone listened. */
  #early: Uint8Array[] = []

  constructor(stream: PortStream, onBytes: (bytes: number) => void = () => {}) {
    this.#stream = stream
    stream.onBytes = (bytes) => {
      onBytes(bytes.byteLength)
      this.#deliver(bytes)
    }
    stream.onClose = (code, reason) => this.#closed(code, reason)
  }

  get onmessage(): RfbChannel['onmessage'] {
    return this.#onmessage
  }

  set onmessage(listener: RfbChannel['onmessage']) {
    this.#onmessage = listener
    const early = this.#early
    this.#early = []
    for (const bytes of early) this.#deliver(bytes)
  }

  /** noVNC reuses the buffer behind the bytes it sends, and cloning a view would clone all of it. */
  send(data: Uint8Array): void {
    if (this.readyState === 'open') this.#stream.sendBytes(data.slice())
  }

  close(): void {
    if (this.readyState !== 'open') return
    this.readyState = 'closing'
    this.#stream.close(1000, 'the viewer left')
  }

  #deliver(bytes: Uint8Array): void {
    if (this.readyState !== 'open') return
    if (this.#onmessage === null) {
      this.#early.push(bytes)
      return
    }
    try {
      this.#onmessage({ data: bytes })
    } catch (error) {
      // A picture that cannot be read ends this connection, never the window.
      this.onerror?.(error)
      this.close()
    }
  }

  #closed(code: number, reason: string): void {
    this.readyState = 'closed'
    // As a WebSocket does: never inside the call that closes.
    queueMicrotask(() => this.onclose?.({ code, reason }))
  }
}
