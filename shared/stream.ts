/**
 * A byte and text stream over a MessagePort, with credit: the sender stops when the receiver has not yet
 * said that it took what was sent. A MessagePort itself never pushes back; without this, a window that is
 * busy for a second would grow main's memory by whatever the machine sends in that second.
 */

/** Unacknowledged bytes after which a sender must wait. About 8 full frames of a 1280 × 720 picture delta. */
export const highWaterBytes = 2 * 1024 * 1024
/** The receiver acknowledges after this many bytes, or at the end of a turn: one message per many frames. */
const ackEveryBytes = 128 * 1024

type Frame =
  | { t: 'bytes'; data: Uint8Array }
  | { t: 'text'; data: string }
  | { t: 'ack'; bytes: number }
  | { t: 'close'; code: number; reason: string }

/** What Electron's MessagePortMain and the web's MessagePort have in common. */
export interface PortLike {
  postMessage(message: unknown): void
  close(): void
  start(): void
}

export class PortStream {
  readonly #port: PortLike
  #unacknowledged = 0
  #taken = 0
  #closed = false
  /** How a received frame is handled; a promise delays the acknowledgement until it is settled. */
  onBytes: (bytes: Uint8Array) => void | Promise<void> = () => {}
  onText: (text: string) => void | Promise<void> = () => {}
  onClose: (code: number, reason: string) => void = () => {}
  /** The other side has caught up: whoever stopped at `writable === false` goes on. */
  onDrain: () => void = () => {}

  constructor(port: PortLike, listen: (handler: (message: unknown) => void) => void) {
    this.#port = port
    listen((message) => this.#receive(message))
    port.start()
  }

  get writable(): boolean {
    return !this.#closed && this.#unacknowledged < highWaterBytes
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Returns false when the sender should wait for `onDrain`. */
  sendBytes(bytes: Uint8Array): boolean {
    // A view would be cloned with the whole buffer behind it: large, and with bytes that are not this stream's.
    const data = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
    return this.#send({ t: 'bytes', data }, data.byteLength)
  }

  sendText(data: string): boolean {
    return this.#send({ t: 'text', data }, data.length * 2)
  }

  close(code = 1000, reason = ''): void {
    if (this.#closed) return
    this.#port.postMessage({ t: 'close', code, reason } satisfies Frame)
    this.#end(code, reason)
  }

  /** The port itself went away: its window closed or crashed. */
  lost(): void {
    if (!this.#closed) this.#end(1006, 'the other side went away')
  }

  #send(frame: Frame, size: number): boolean {
    if (this.#closed) return false
    this.#unacknowledged += size
    this.#port.postMessage(frame)
    return this.writable
  }

  #end(code: number, reason: string): void {
    this.#closed = true
    this.#port.close()
    this.onClose(code, reason)
  }

  #receive(message: unknown): void {
    if (this.#closed) return
    const frame = readFrame(message)
    if (frame === undefined) return this.close(1002, 'not a frame of this stream')
    if (frame.t === 'bytes') void this.#take(() => this.onBytes(frame.data), frame.data.byteLength)
    else if (frame.t === 'text') void this.#take(() => this.onText(frame.data), frame.data.length * 2)
    else if (frame.t === 'ack') this.#acknowledged(frame.bytes)
    else this.#end(frame.code, frame.reason)
  }

  async #take(handle: () => void | Promise<void>, size: number): Promise<void> {
    try {
      const handled = handle()
      // Not awaited when there is nothing to wait for: the order of frames and of acknowledgements stays.
      if (handled !== undefined) await handled
    } catch {
      return this.close(1011, 'the receiver failed')
    }
    const first = this.#taken === 0
    this.#taken += size
    if (this.#taken >= ackEveryBytes) this.#acknowledge()
    else if (first) setTimeout(() => this.#acknowledge(), 0)
  }

  #acknowledge(): void {
    if (this.#taken === 0 || this.#closed) return
    this.#port.postMessage({ t: 'ack', bytes: this.#taken } satisfies Frame)
    this.#taken = 0
  }

  #acknowledged(bytes: number): void {
    const wasFull = this.#unacknowledged >= highWaterBytes
    this.#unacknowledged = Math.max(0, this.#unacknowledged - bytes)
    if (wasFull && this.#unacknowledged < highWaterBytes) this.onDrain()
  }
}

/** The other side of a port is another process: what it sends is looked at before it is believed. */
function readFrame(message: unknown): Frame | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { t, data, bytes, code, reason } = message as Record<string, unknown>
  if (t === 'bytes' && data instanceof Uint8Array) return { t, data }
  if (t === 'text' && typeof data === 'string') return { t, data }
  if (t === 'ack' && typeof bytes === 'number' && bytes >= 0) return { t, bytes }
  if (t === 'close' && typeof code === 'number' && typeof reason === 'string') return { t, code, reason }
  return undefined
}
