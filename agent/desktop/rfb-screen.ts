import type { Socket } from 'node:net'
import { connectVnc, type VncServer } from '../display/vnc-connect.ts'
import { writeEncodings, writeKey, writePointer } from '../takeover/client-messages.ts'

/** 32 bits a pixel, little-endian, red in the lowest byte: the order in which PNG wants them. */
const redFirst = Buffer.from([0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0])
const rawEncoding = 0
const answerMs = 5000

export interface Picture {
  width: number
  height: number
  /** Red, green, blue and a byte that means nothing, row by row. */
  pixels: Buffer
}

/** A VNC client of the agent's own: a picture now and then, and input. */
export class RfbScreen {
  readonly #socket: Socket
  readonly width: number
  readonly height: number

  private constructor(socket: Socket, width: number, height: number) {
    this.#socket = socket
    this.width = width
    this.height = height
  }

  static async open(server: VncServer): Promise<RfbScreen> {
    const socket = await connectVnc(server)
    socket.on('error', () => {})
    try {
      socket.write(Buffer.from([1]))
      const init = await read(socket, 24)
      const nameLength = init.readUInt32BE(20)
      if (nameLength > 0) await read(socket, nameLength)
      socket.write(redFirst)
      socket.write(writeEncodings([rawEncoding]))
      return new RfbScreen(socket, init.readUInt16BE(0), init.readUInt16BE(2))
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** The whole display as it is now. */
  async picture(): Promise<Picture> {
    const { width, height } = this
    const request = Buffer.alloc(10)
    request[0] = 3
    request.writeUInt16BE(width, 6)
    request.writeUInt16BE(height, 8)
    this.#socket.write(request)
    const pixels = Buffer.alloc(width * height * 4)
    let covered = 0
    while (covered < width * height) covered += await this.#update(pixels)
    return { width, height, pixels }
  }

  key(keysym: number, down: boolean): void {
    this.#socket.write(writeKey(keysym, null, down))
  }

  pointer(buttons: number, x: number, y: number): void {
    this.#socket.write(writePointer(buttons, x, y))
  }

  /** Settles when the server has read all that was sent: it answers in turn. */
  async flush(): Promise<void> {
    this.#socket.write(Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 0, 1]))
    await this.#update(Buffer.alloc(this.width * this.height * 4))
  }

  close(): void {
    this.#socket.end()
    this.#socket.destroySoon()
  }

  /** One message of the server; returns how many pixels it brought. */
  async #update(pixels: Buffer): Promise<number> {
    const [type = 255] = await read(this.#socket, 1)
    // Bell, and a clipboard that nobody asked for.
    if (type === 2) return 0
    if (type === 3) {
      const length = Math.abs((await read(this.#socket, 7)).readInt32BE(3))
      if (length > 0) await read(this.#socket, length)
      return 0
    }
    if (type !== 0) throw new Error(`the VNC server sent a message of type ${type}`)
    let brought = 0
    const rectangles = (await read(this.#socket, 3)).readUInt16BE(1)
    for (let index = 0; index < rectangles; index++) brought += await this.#rectangle(pixels)
    return brought
  }

  async #rectangle(pixels: Buffer): Promise<number> {
    const head = await read(this.#socket, 12)
    const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number]
    if (head.readInt32BE(8) !== rawEncoding || x + width > this.width || y + height > this.height)
      throw new Error('the VNC server sent what was not asked for')
    if (width === 0 || height === 0) return 0
    const rows = await read(this.#socket, width * height * 4)
    for (let row = 0; row < height; row++)
      rows.copy(pixels, ((y + row) * this.width + x) * 4, row * width * 4, (row + 1) * width * 4)
    return width * height
  }
}

async function read(socket: Socket, size: number): Promise<Buffer> {
  const late = AbortSignal.timeout(answerMs)
  const chunks: Buffer[] = []
  for (let left = size; left > 0; ) {
    const chunk: Buffer | null = socket.read(Math.min(left, Math.max(socket.readableLength, 1)))
    if (chunk !== null) {
      chunks.push(chunk)
      left -= chunk.length
    } else await readable(socket, late)
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
}

function readable(socket: Socket, late: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      socket.off('readable', ready)
      socket.off('close', closed)
      late.removeEventListener('abort', timeUp)
      if (error === undefined) resolve()
      else reject(error)
    }
    const ready = () => settle()
    const closed = () => settle(new Error('the VNC server closed the connection'))
    const timeUp = () => settle(new Error('the VNC server does not answer'))
    socket.on('readable', ready)
    socket.on('close', closed)
    late.addEventListener('abort', timeUp)
    if (socket.destroyed) closed()
  })
}
