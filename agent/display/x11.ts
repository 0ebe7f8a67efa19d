import { readFileSync } from 'node:fs'
import net from 'node:net'

/** As much of the X11 protocol as a clipboard takes. Little-endian, over the display's Unix socket. */

export interface XEvent {
  type: number
  bytes: Buffer
}

const padded = (length: number) => (length + 3) & ~3
/** The longest request without the extension for longer ones, in bytes, rounded down to be safe. */
export const maxRequestBytes = 200_000
const answerMs = 3000

/** A connection to an X server: requests in, replies and events out. */
export class XConnection {
  readonly root: number
  readonly size: { width: number; height: number }
  readonly window: number
  readonly #socket: net.Socket
  readonly #pending: { resolve: (reply: Buffer) => void; reject: (error: Error) => void; sequence: number }[] = []
  readonly #atoms = new Map<string, number>()
  #received: Buffer = Buffer.alloc(0)
  #sequence = 0
  onEvent: (event: XEvent) => void = () => {}
  onClose: () => void = () => {}

  private constructor(socket: net.Socket, setup: Buffer) {
    this.#socket = socket
    const vendor = padded(setup.readUInt16LE(16))
    const screen = 32 + vendor + 8 * (setup[21] ?? 0)
    this.root = setup.readUInt32LE(screen)
    this.size = { width: setup.readUInt16LE(screen + 20), height: setup.readUInt16LE(screen + 22) }
    this.window = setup.readUInt32LE(4)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.once('close', () => {
      for (const { reject } of this.#pending.splice(0)) reject(new Error('the display closed the connection'))
      this.onClose()
    })
    this.#createWindow()
  }

  /** `env` is what any program needs to draw on the display. */
  static async open(
    env: { DISPLAY: string; XAUTHORITY?: string | undefined },
    timeoutMs = answerMs,
  ): Promise<XConnection> {
    const number = /^:(\d+)/.exec(env.DISPLAY)?.[1]
    if (number === undefined) throw new Error(`${env.DISPLAY} is not a display of this machine`)
    const socket = net.connect(`/tmp/.X11-unix/X${number}`)
    const late = setTimeout(() => socket.destroy(new Error('the display does not answer')), timeoutMs)
    try {
      socket.write(hello(cookieFor(number, env.XAUTHORITY)))
      const setup = await readSetup(socket)
      return new XConnection(socket, setup)
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  async atom(name: string): Promise<number> {
    const known = this.#atoms.get(name)
    if (known !== undefined) return known
    const text = Buffer.from(name, 'latin1')
    const body = Buffer.alloc(4 + padded(text.length))
    body.writeUInt16LE(text.length)
    text.copy(body, 4)
    const atom = (await this.ask(16, 0, body)).readUInt32LE(8)
    this.#atoms.set(name, atom)
    return atom
  }

  /** A request that has no reply. */
  send(opcode: number, detail: number, body: Buffer): void {
    const head = Buffer.alloc(4)
    head[0] = opcode
    head[1] = detail
    head.writeUInt16LE(1 + body.length / 4, 2)
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#socket.write(Buffer.concat([head, body]))
  }

  /** A request and its reply. */
  ask(opcode: number, detail: number, body: Buffer): Promise<Buffer> {
    this.send(opcode, detail, body)
    const sequence = this.#sequence
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject, sequence })
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #createWindow(): void {
    const body = Buffer.alloc(32)
    body.writeUInt32LE(this.window, 0)
    body.writeUInt32LE(this.root, 4)
    body.writeUInt16LE(1, 12)
    body.writeUInt16LE(1, 14)
    // Input only: nothing of it is ever seen. It wants to know when its properties change.
    body.writeUInt16LE(2, 18)
    body.writeUInt32LE(0x800, 24)
    body.writeUInt32LE(0x400000, 28)
    this.send(1, 0, body)
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    while (this.#received.length >= 32) {
      const type = (this.#received[0] ?? 0) & 0x7f
      const size = type === 1 ? 32 + 4 * this.#received.readUInt32LE(4) : 32
      if (this.#received.length < size) return
      const bytes = this.#received.subarray(0, size)
      this.#received = this.#received.subarray(size)
      if (type > 1) this.onEvent({ type, bytes })
      else this.#answer(type, bytes)
    }
  }

  #answer(type: number, bytes: Buffer): void {
    const sequence = bytes.readUInt16LE(2)
    const index = this.#pending.findIndex((pending) => pending.sequence === sequence)
    const [pending] = index === -1 ? [] : this.#pending.splice(index, 1)
    if (type === 1) pending?.resolve(bytes)
    else pending?.reject(new Error(`the display refused with error ${bytes[1]}`))
  }
}

function hello(cookie: Buffer | undefined): Buffer {
  const name = cookie === undefined ? Buffer.alloc(0) : Buffer.from('MIT-MAGIC-COOKIE-1')
  const data = cookie ?? Buffer.alloc(0)
  const bytes = Buffer.alloc(12 + padded(name.length) + padded(data.length))
  bytes[0] = 0x6c
  bytes.writeUInt16LE(11, 2)
  bytes.writeUInt16LE(name.length, 6)
  bytes.writeUInt16LE(data.length, 8)
  name.copy(bytes, 12)
  data.copy(bytes, 12 + padded(name.length))
  return bytes
}

function readSetup(socket: net.Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('data', function take(chunk: Buffer) {
      received = Buffer.concat([received, chunk])
      if (received.length < 8) return
      const size = 8 + 4 * received.readUInt16LE(6)
      if (received.length < size) return
      socket.off('data', take)
      if (received[0] === 1) resolve(received.subarray(8, size))
      else reject(new Error('the display does not accept the agent'))
    })
  })
}

/** The cookie in an Xauthority file that fits the display; undefined when there is none, or no file. */
function cookieFor(displayNumber: string, file: string | undefined): Buffer | undefined {
  if (file === undefined || file === '') return undefined
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch {
    return undefined
  }
  for (let at = 2; at < bytes.length; at += 2) {
    const [, number = '', name = '', cookie] = [0, 1, 2, 3].map(() => {
      const length = bytes.readUInt16BE(at)
      at += 2 + length
      return bytes.subarray(at - length, at)
    })
    const fits = String(number) === '' || String(number) === displayNumber
    if (fits && String(name) === 'MIT-MAGIC-COOKIE-1') return cookie
  }
  return undefined
}

/** How large a display is. */
export async function readDisplaySize(env: { DISPLAY: string; XAUTHORITY?: string }): Promise<XConnection['size']> {
  const connection = await XConnection.open(env)
  connection.close()
  return connection.size
}

/** A display answers at once, or it is not well. */
const silentMs = 3000

/** Why a display cannot be used, as a sentence; undefined while it answers. */
export function displaySilent(env: { DISPLAY: string; XAUTHORITY?: string }): Promise<string | undefined> {
  return XConnection.open(env, silentMs).then(
    (connection) => void connection.close(),
    (error: Error) => `The display ${env.DISPLAY} does not answer any more: ${error.message}.`,
  )
}
