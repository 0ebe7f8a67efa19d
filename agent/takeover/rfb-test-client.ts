import type { CallContext, ServerSocket, SocketHandler } from '../server/handlers.ts'
import { writeEncodings, writeKey, writePointer } from './client-messages.ts'

const extendedDesktopSize = -308

/** A viewer small enough to be read at a glance: raw pixels only. For tests. */
export class RfbTestClient {
  readonly closed: Promise<{ code: number | undefined; reason: string | undefined }>
  readonly #socket: ServerSocket<'vnc'>
  #received: Buffer[] = []
  #wake: () => void = () => {}
  #ended: string | undefined
  width = 0
  height = 0
  /** The modes that the agent said are in force. */
  readonly told: string[] = []

  private constructor(accept: (socket: ServerSocket<'vnc'>) => void) {
    const { promise, resolve } = Promise.withResolvers<{ code: number | undefined; reason: string | undefined }>()
    this.closed = promise
    const end = (code?: number, reason?: string) => {
      if (this.#ended !== undefined) return
      this.#ended = reason ?? 'closed'
      resolve({ code, reason })
      this.#socket.onClose()
      this.#wake()
    }
    this.#socket = {
      send: (message) => this.told.push(message.mode),
      sendBytes: (bytes) => {
        this.#received.push(Buffer.from(bytes))
        this.#wake()
      },
      bufferedBytes: 0,
      pause: () => {},
      resume: () => {},
      close: end,
      onMessage: () => {},
      onBytes: () => {},
      onClose: () => {},
    }
    accept(this.#socket)
  }

  /** Asks for another mode on the connection that is open. */
  ask(mode: 'view' | 'control', leaseId?: string): void {
    this.#socket.onMessage({ type: 'mode', mode, ...(leaseId !== undefined && { leaseId }) })
  }

  static async open(
    handler: SocketHandler<'vnc'>,
    params: { mode: 'view' | 'control'; leaseId?: string; clipboard?: boolean },
  ): Promise<RfbTestClient> {
    const client = new RfbTestClient(await handler({ clipboard: false, ...params }, testContext()))
    await client.read(12)
    client.send(Buffer.from('RFB 003.008\n'))
    await client.read(2)
    client.send(Buffer.from([1]))
    await client.read(4)
    client.send(Buffer.from([0]))
    const init = await client.read(24)
    client.width = init.readUInt16BE(0)
    client.height = init.readUInt16BE(2)
    await client.read(init.readUInt32BE(20))
    // 32 bits, little-endian, blue first.
    client.send(Buffer.from([0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]))
    client.send(writeEncodings([0]))
    return client
  }

  send(bytes: Buffer): void {
    this.#socket.onBytes(bytes)
  }

  key(keysym: number, down: boolean): void {
    this.send(writeKey(keysym, null, down))
  }

  type(text: string): void {
    for (const char of text) {
      this.key(char.charCodeAt(0), true)
      this.key(char.charCodeAt(0), false)
    }
  }

  pointer(buttons: number, x: number, y: number): void {
    this.send(writePointer(buttons, x, y))
  }

  /** Asks for the whole picture; the answer is `#rrggbb` at any place of it. */
  async picture(): Promise<(x: number, y: number) => string> {
    const request = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    request.writeUInt16BE(this.width, 6)
    request.writeUInt16BE(this.height, 8)
    this.send(request)
    const screen = Buffer.alloc(this.width * this.height * 4)
    const header = await this.read(4)
    if (header[0] !== 0) throw new Error(`server message ${header[0]} was not expected`)
    for (let rectangles = header.readUInt16BE(2); rectangles > 0; rectangles--) await this.#rectangle(screen)
    return (x, y) => {
      const at = (y * this.width + x) * 4
      return `#${[2, 1, 0].map((part) => screen.toString('hex', at + part, at + part + 1)).join('')}`
    }
  }

  /** Asks for another size of the display, and returns what the server says of it: 0 when it has it. */
  async resize(width: number, height: number): Promise<number> {
    this.send(writeEncodings([0, extendedDesktopSize]))
    const size = Buffer.alloc(24)
    size.set([251, 0, 0, 0, 0, 0, 1])
    for (const at of [2, 16]) size.writeUInt16BE(width, at)
    for (const at of [4, 18]) size.writeUInt16BE(height, at)
    this.send(size)
    for (;;) {
      this.send(Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 0, 1]))
      let header = await this.read(4)
      // What is in the clipboard.
      while (header[0] === 3) {
        await this.read((await this.read(4)).readUInt32BE(0))
        header = await this.read(4)
      }
      if (header[0] !== 0) throw new Error(`server message ${header[0]} was not expected`)
      let answer: number | undefined
      for (let rectangles = header.readUInt16BE(2); rectangles > 0; rectangles--) {
        const head = await this.read(12)
        if (head.readInt32BE(8) !== extendedDesktopSize)
          await this.read(head.readUInt16BE(4) * head.readUInt16BE(6) * 4)
        else {
          const screens = (await this.read(4))[0] ?? 0
          await this.read(16 * screens)
          // 1: this client asked for it.
          if (head.readUInt16BE(0) === 1) answer = head.readUInt16BE(2)
        }
      }
      if (answer !== undefined) return answer
    }
  }

  close(): void {
    this.#socket.close(1000, 'done')
  }

  async read(size: number): Promise<Buffer> {
    for (;;) {
      const all = Buffer.concat(this.#received)
      if (all.length >= size) {
        this.#received = [all.subarray(size)]
        return all.subarray(0, size)
      }
      this.#received = [all]
      if (this.#ended !== undefined) throw new Error(`closed: ${this.#ended}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async #rectangle(screen: Buffer): Promise<void> {
    const head = await this.read(12)
    const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number]
    if (head.readInt32BE(8) !== 0) throw new Error(`encoding ${head.readInt32BE(8)} was not asked for`)
    const pixels = await this.read(width * height * 4)
    for (let row = 0; row < height; row++)
      pixels.copy(screen, ((y + row) * this.width + x) * 4, row * width * 4, (row + 1) * width * 4)
  }
}

export function testContext(): CallContext {
  const signal = new AbortController().signal
  return { requestId: 'test', operator: null, peer: 'unix', signal, headers: {}, resultOf: () => {}, note: () => {} }
}
