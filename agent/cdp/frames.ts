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

/** A real client sends whole messages; only an attacker sends thousands of pieces. */
const maxFragments = 128
/** Beyond this many pieces of one message they are joined: each has a cost of its own. */
const maxChunks = 1024

const nothing: Batch = { bytes: Buffer.alloc(0), messages: [] }

/** Cuts a byte stream into whole messages. What is incomplete is held back: nothing half passes. */
export class FrameReader {
  readonly #options: FrameReaderOptions
  #chunks: Buffer[] = []
  #size = 0
  #needed = 0

  constructor(options: FrameReaderOptions) {
    this.#options = options
  }

  /** The messages that are complete now. Throws `FrameError` when the stream makes no sense. */
  push(chunk: Buffer): Batch {
    let bytes = chunk
    if (this.#size > 0) {
      this.#chunks.push(chunk)
      this.#size += chunk.length
      if (this.#size < this.#needed && this.#chunks.length < maxChunks) return nothing
      bytes = Buffer.concat(this.#chunks)
    }
    const messages: Message[] = []
    let at = 0
    for (;;) {
      const found = this.#read(bytes, at)
      if (typeof found === 'number') {
        this.#keep(bytes.subarray(at), found - at)
        return { bytes: bytes.subarray(0, at), messages }
      }
      messages.push(found)
      at = found.end
    }
  }

  #keep(rest: Buffer, needed: number): void {
    // A copy of a short rest, so that it does not keep a large read alive.
    this.#chunks = rest.length === 0 ? [] : [rest.length < 4096 ? Buffer.from(rest) : rest]
    this.#size = rest.length
    this.#needed = needed
  }

  /** The message that starts there, or up to where bytes are needed to tell more. */
  #read(bytes: Buffer, start: number): Message | number {
    const frames: Frame[] = []
    let at = start
    let kind: number = opcode.continuation
    for (;;) {
      if (bytes.length < at + 2) return at + 2
      const [first = 0, second = 0] = [bytes[at], bytes[at + 1]]
      const control = (first & 0x08) !== 0
      this.#check(first, second, frames.length > 0)
      const short = second & 0x7f
      const headerEnd = at + 2 + (short === 126 ? 2 : short === 127 ? 8 : 0)
      const payloadAt = headerEnd + (this.#options.masked ? 4 : 0)
      if (bytes.length < payloadAt) return payloadAt
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : this.#long(bytes, at + 2)
      if (payloadAt + length - start > this.#options.maxMessageBytes)
        throw new FrameError(1009, 'the message is too large')
      if (bytes.length < payloadAt + length) return payloadAt + length
      // A control frame among the fragments of a message waits with them.
      if (!control || frames.length === 0) {
        if (frames.length === 0) kind = first & 0x0f
        frames.push({ payloadAt, length })
      }
      at = payloadAt + length
      if (frames.length > maxFragments) throw new FrameError(1008, 'too many fragments')
      const final = (first & 0x80) !== 0
      if (final && (!control || kind >= opcode.close)) return { opcode: kind, start, end: at, frames }
    }
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

  #long(bytes: Buffer, at: number): number {
    const length = bytes.readBigUInt64BE(at)
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
