/** WebSocket frames as they stand on the wire (RFC 6455), for connections that are passed on and not ended here. */

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** The stream cannot be followed any further; `code` is what the close frame says. */
export class FrameError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface Frame {
  payloadAt: number
  length: number
}

/** A whole message, or a control frame: where it stands in the bytes it came in. */
export interface Message {
  opcode: number
  start: number
  end: number
  frames: readonly Frame[]
}

/** Whole messages in a row, and the bytes they consist of, nothing else. */
export interface Batch {
  bytes: Buffer
  messages: readonly Message[]
}

export interface FrameReaderOptions {
  /** Whether frames come from a client; the other way they are not masked. */
  masked: boolean
  maxMessageBytes: number
}

/** Some clients cut a long message into pieces of some kilobytes; only an attacker sends thousands of tiny ones. */
const maxFragments = 128
const usualFragmentBytes = 1024
/** Beyond this many pieces of one message they are joined: each has a cost of its own. */
const maxChunks = 1024
/** A header with the longest length and a mask. */
const maxHeaderBytes = 14

const nothing: Batch = { bytes: Buffer.alloc(0), messages: [] }

/** Cuts a byte stream into whole messages. What is incomplete is held back: nothing half passes. */
export class FrameReader {
  readonly #options: FrameReaderOptions
  /** What is held, as it came. */
  #chunks: Buffer[] = []
  #size = 0
  #needed = 0
  /** Of the message under way: where it starts in what is held, its frames so far, and where the next one starts. */
  #start = 0
  #frames: Frame[] = []
  #kind: number = opcode.continuation
  #at = 0
  /** The chunk that the next frame starts in, and where that one starts. */
  #chunk = 0
  #chunkAt = 0

  constructor(options: FrameReaderOptions) {
    this.#options = options
  }

  /** The messages that are complete now. Throws `FrameError` when the stream makes no sense. */
  push(chunk: Buffer): Batch {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) {
      if (this.#chunks.length >= maxChunks) this.#join()
      return nothing
    }
    const messages: Message[] = []
    for (let found = this.#read(); found !== undefined; found = this.#read()) messages.push(found)
    if (messages.length === 0) {
      if (this.#chunks.length >= maxChunks) this.#join()
      return nothing
    }
    const bytes = this.#join()
    const whole = this.#start
    this.#keep(bytes.subarray(whole))
    return { bytes: bytes.subarray(0, whole), messages }
  }

  /** All that is held, in one piece. */
  #join(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks
    const bytes = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#chunks = [bytes]
    this.#chunk = 0
    this.#chunkAt = 0
    return bytes
  }

  /** What is left once the whole messages are given out. */
  #keep(rest: Buffer): void {
    // A copy of a short rest, so that it does not keep a large read alive.
    this.#chunks = rest.length === 0 ? [] : [rest.length < 4096 ? Buffer.from(rest) : rest]
    this.#size = rest.length
    this.#needed -= this.#start
    this.#at -= this.#start
    for (const frame of this.#frames) frame.payloadAt -= this.#start
    this.#start = 0
  }

  /** The next whole message; undefined when more bytes are needed for it. */
  #read(): Message | undefined {
    for (;;) {
      const header = this.#header()
      if (header.length < 2) return this.#awaits(2)
      const [first = 0, second = 0] = header
      const control = (first & 0x08) !== 0
      this.#check(first, second, this.#frames.length > 0)
      const short = second & 0x7f
      const headerBytes = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + (this.#options.masked ? 4 : 0)
      if (header.length < headerBytes) return this.#awaits(headerBytes)
      const length = short < 126 ? short : short === 126 ? header.readUInt16BE(2) : this.#long(header)
      const payloadAt = this.#at + headerBytes
      const end = payloadAt + length
      if (end - this.#start > this.#options.maxMessageBytes) throw new FrameError(1009, 'the message is too large')
      if (this.#size < end) return this.#awaits(headerBytes + length)
      // A control frame among the fragments of a message waits with them.
      if (!control || this.#frames.length === 0) {
        if (this.#frames.length === 0) this.#kind = first & 0x0f
        this.#frames.push({ payloadAt, length })
      }
      this.#at = end
      const count = this.#frames.length
      if (count > maxFragments && end - this.#start < count * usualFragmentBytes)
        throw new FrameError(1008, 'too many fragments')
      if ((first & 0x80) !== 0 && (!control || this.#kind >= opcode.close)) {
        const message = { opcode: this.#kind, start: this.#start, end, frames: this.#frames }
        this.#start = end
        this.#frames = []
        return message
      }
    }
  }

  #awaits(bytes: number): undefined {
    this.#needed = this.#at + bytes
  }

  /** The first bytes of the next frame, as far as they are there and a header goes. */
  #header(): Buffer {
    for (let chunk = this.#chunks[this.#chunk]; chunk !== undefined; chunk = this.#chunks[this.#chunk]) {
      const from = this.#at - this.#chunkAt
      if (from < chunk.length || this.#chunk === this.#chunks.length - 1) {
        const bytes = chunk.subarray(from, from + maxHeaderBytes)
        if (bytes.length === maxHeaderBytes || this.#chunk === this.#chunks.length - 1) return bytes
        const rest = this.#chunks.slice(this.#chunk + 1, this.#chunk + maxHeaderBytes)
        return Buffer.concat([bytes, ...rest]).subarray(0, maxHeaderBytes)
      }
      this.#chunk++
      this.#chunkAt += chunk.length
    }
    return nothing.bytes
  }

  #check(first: number, second: number, within: boolean): void {
    const kind = first & 0x0f
    const control = kind >= opcode.close
    if ((first & 0x70) !== 0) throw new FrameError(1002, 'a reserved bit is set')
    if ((kind > 2 && kind < 8) || kind > 10) throw new FrameError(1002, `opcode ${kind} is not known`)
    if (((second & 0x80) !== 0) !== this.#options.masked) throw new FrameError(1002, 'the mask is not right')
    if (control && ((first & 0x80) === 0 || (second & 0x7f) > 125))
      throw new FrameError(1002, 'a control frame is too long')
    if (!control && (kind === opcode.continuation) !== within) throw new FrameError(1002, 'a fragment is out of place')
  }

  #long(header: Buffer): number {
    const length = header.readBigUInt64BE(2)
    if (length > BigInt(this.#options.maxMessageBytes)) throw new FrameError(1009, 'the message is too large')
    return Number(length)
  }
}

/** The first bytes of a message as they were before masking: at most `limit` of its first frame. */
export function unmaskedStart(bytes: Buffer, message: Message, limit: number): Buffer {
  const frame = message.frames[0]
  if (frame === undefined) return Buffer.alloc(0)
  return unmasked(bytes, { payloadAt: frame.payloadAt, length: Math.min(frame.length, limit) })
}

/** The whole payload of a message as text. */
export function messageText(bytes: Buffer, message: Message, masked: boolean): string {
  const parts = message.frames.map(({ payloadAt, length }) =>
    masked ? unmasked(bytes, { payloadAt, length }) : bytes.subarray(payloadAt, payloadAt + length),
  )
  return (parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)).toString('utf8')
}

/** The payload of one frame of a client as it was before masking. */
export function unmasked(bytes: Buffer, { payloadAt, length }: Frame): Buffer {
  const plain = Buffer.allocUnsafe(length)
  const key = payloadAt - 4
  for (let i = 0; i < length; i++) plain[i] = (bytes[payloadAt + i] ?? 0) ^ (bytes[key + (i & 3)] ?? 0)
  return plain
}

/** One text frame. Towards Chromium it has to have a mask; the one of zeros changes nothing and is as good. */
export function textFrame(text: string, masked: boolean): Buffer {
  const { bytes, payloadAt } = emptyFrame(opcode.text, Buffer.byteLength(text), masked)
  bytes.write(text, payloadAt)
  return bytes
}

export function closeFrame(code: number, reason: string): Buffer {
  const { bytes, payloadAt } = emptyFrame(opcode.close, 2 + Math.min(Buffer.byteLength(reason), 123), false)
  bytes.writeUInt16BE(code, payloadAt)
  // A character that does not fit whole is left out, and spaces stay in its place.
  bytes.fill(' ', payloadAt + 2)
  bytes.write(reason, payloadAt + 2)
  return bytes
}

function emptyFrame(kind: number, length: number, masked: boolean): { bytes: Buffer; payloadAt: number } {
  const wide = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const payloadAt = 2 + wide + (masked ? 4 : 0)
  const bytes = Buffer.allocUnsafe(payloadAt + length)
  bytes[0] = 0x80 | kind
  bytes[1] = (masked ? 0x80 : 0) | (wide === 0 ? length : wide === 2 ? 126 : 127)
  if (wide === 2) bytes.writeUInt16BE(length, 2)
  if (wide === 8) bytes.writeBigUInt64BE(BigInt(length), 2)
  if (masked) bytes.fill(0, payloadAt - 4, payloadAt)
  return { bytes, payloadAt }
}
