import { answerVncChallenge } from '../../agent/display/vnc-password.ts'
import { writeEncodings, writeKey, writePointer } from '../../agent/takeover/client-messages.ts'

/** Bytes to and from a VNC server, over whatever carries them. */
export interface RfbWire {
  send(bytes: Buffer): void
  onBytes(listener: (bytes: Buffer) => void): void
  /** Calls back when nothing more will come. */
  onEnd(listener: () => void): void
  close(): void
}

const zrle = 16
const waitMs = 5000
/** For a program that is only being started. */
const patientMs = 30_000

/** A viewer that looks at what changed and when, and does not draw it. */
export class RfbCounter {
  readonly #wire: RfbWire
  #pending: Buffer = Buffer.alloc(0)
  #wake: () => void = () => {}
  updates = 0
  #ended = false
  #watched: { x: number; y: number; seen: () => void } | null = null

  private constructor(wire: RfbWire) {
    this.#wire = wire
    wire.onBytes((bytes) => {
      this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
      this.#wake()
    })
    wire.onEnd(() => {
      this.#ended = true
      this.#wake()
    })
  }

  /** Says hello, if that has not been done, with the password that it may take, and asks for what changes. */
  static async open(wire: RfbWire, authenticated: boolean, password?: string): Promise<RfbCounter> {
    const client = new RfbCounter(wire)
    if (!authenticated) {
      await client.#read(12)
      wire.send(Buffer.from('RFB 003.008\n'))
      const [kinds = 0] = await client.#read(1)
      await client.#read(kinds)
      wire.send(Buffer.from([password === undefined ? 1 : 2]))
      if (password !== undefined) wire.send(answerVncChallenge(password, await client.#read(16)))
      await client.#read(4)
    }
    wire.send(Buffer.from([1]))
    const init = await client.#read(24)
    await client.#read(init.readUInt32BE(20))
    wire.send(writeEncodings([zrle, 0]))
    void client.#follow(init.readUInt16BE(0), init.readUInt16BE(2)).catch(() => {
      client.#ended = true
    })
    return client
  }

  /** Milliseconds from a press at one place to the first update that covers another. */
  async click(at: { x: number; y: number }, watched: { x: number; y: number }): Promise<number> {
    const taken = await this.#answer(watched, 'the click', () => this.#wire.send(writePointer(1, at.x, at.y)))
    this.#wire.send(writePointer(0, at.x, at.y))
    return taken
  }

  /** Milliseconds from a key going down to the first update that covers a place. */
  async key(keysym: number, watched: { x: number; y: number }): Promise<number> {
    const taken = await this.#answer(watched, 'the key', () => this.#wire.send(writeKey(keysym, null, true)))
    this.#wire.send(writeKey(keysym, null, false))
    return taken
  }

  /** Settles with the next update that covers a place. */
  async next(watched: { x: number; y: number }): Promise<void> {
    await this.#answer(watched, 'whatever was to come', () => {}, patientMs)
  }

  async #answer(watched: { x: number; y: number }, what: string, act: () => void, limitMs = waitMs): Promise<number> {
    const began = performance.now()
    const seen = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${what} changed nothing`)), limitMs)
      this.#watched = {
        ...watched,
        seen: () => {
          clearTimeout(timer)
          resolve(performance.now() - began)
        },
      }
    })
    act()
    return seen
  }

  /** Whether updates can still come. */
  get isOpen(): boolean {
    return !this.#ended
  }

  move(at: { x: number; y: number }): void {
    this.#wire.send(writePointer(0, at.x, at.y))
  }

  close(): void {
    this.#wire.close()
  }

  async #follow(width: number, height: number): Promise<void> {
    for (let first = true; ; first = false) {
      const request = Buffer.alloc(10)
      request[0] = 3
      request[1] = first ? 0 : 1
      request.writeUInt16BE(width, 6)
      request.writeUInt16BE(height, 8)
      this.#wire.send(request)
      await this.#update()
      this.updates++
    }
  }

  async #update(): Promise<void> {
    const [type = 255] = await this.#read(1)
    if (type === 3) {
      await this.#read((await this.#read(7)).readUInt32BE(3))
      return this.#update()
    }
    if (type === 2) return this.#update()
    if (type !== 0) throw new Error(`server message ${type}`)
    const rectangles = (await this.#read(3)).readUInt16BE(1)
    for (let index = 0; index < rectangles; index++) {
      const head = await this.#read(12)
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number]
      if (head.readInt32BE(8) === zrle) await this.#read((await this.#read(4)).readUInt32BE())
      else await this.#read(width * height * 4)
      const watched = this.#watched
      const covers = (from: number, size: number, place: number) => place >= from && place < from + size
      if (watched !== null && covers(x, width, watched.x) && covers(y, height, watched.y)) {
        this.#watched = null
        watched.seen()
      }
    }
  }

  async #read(size: number): Promise<Buffer> {
    while (this.#pending.length < size) {
      // Else whoever waits for the next byte would wait for ever, and nobody would know why.
      if (this.#ended) throw new Error('the VNC connection ended')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const taken = this.#pending.subarray(0, size)
    this.#pending = this.#pending.subarray(size)
    return taken
  }
}
