/** Messages of D-Bus as far as a small service needs them: little-endian, with the types that occur in its calls. */
export const messageTypes = { call: 1, reply: 2, error: 3, signal: 4 } as const

export interface BusMessage {
  type: number
  serial: number
  path?: string
  interface?: string
  member?: string
  errorName?: string
  replySerial?: number
  destination?: string
  sender?: string
  signature?: string
  body: Buffer
}

const fields = [
  [1, 'path', 'o'],
  [2, 'interface', 's'],
  [3, 'member', 's'],
  [4, 'errorName', 's'],
  [5, 'replySerial', 'u'],
  [6, 'destination', 's'],
  [7, 'sender', 's'],
  [8, 'signature', 'g'],
] as const

/** Writes values, each at the place its type asks for. */
export class BusWriter {
  #bytes: number[] = []

  align(to: number): this {
    while (this.#bytes.length % to !== 0) this.#bytes.push(0)
    return this
  }

  byte(value: number): this {
    this.#bytes.push(value)
    return this
  }

  uint32(value: number): this {
    this.align(4)
    this.#bytes.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255)
    return this
  }

  string(text: string): this {
    const bytes = Buffer.from(text)
    this.uint32(bytes.length)
    this.#bytes.push(...bytes, 0)
    return this
  }

  signature(text: string): this {
    this.#bytes.push(text.length, ...Buffer.from(text), 0)
    return this
  }

  strings(texts: readonly string[]): this {
    const items = new BusWriter()
    for (const text of texts) items.string(text)
    const bytes = items.done()
    this.uint32(bytes.length)
    this.#bytes.push(...bytes)
    return this
  }

  done(): Buffer {
    return Buffer.from(this.#bytes)
  }
}

/** Reads values in the order in which they were written. */
export class BusReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  align(to: number): this {
    this.#at = Math.ceil(this.#at / to) * to
    return this
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++)
  }

  uint32(): number {
    this.align(4)
    this.#at += 4
    return this.#bytes.readUInt32LE(this.#at - 4)
  }

  string(): string {
    const length = this.uint32()
    this.#at += length + 1
    return this.#bytes.toString('utf8', this.#at - length - 1, this.#at - 1)
  }

  signature(): string {
    const length = this.byte()
    this.#at += length + 1
    return this.#bytes.toString('utf8', this.#at - length - 1, this.#at - 1)
  }

  strings(): string[] {
    const end = this.uint32() + this.#at
    const found: string[] = []
    while (this.#at < end) found.push(this.string())
    return found
  }
}

export function encodeMessage(message: BusMessage): Buffer {
  const head = new BusWriter()
  for (const [code, name, type] of fields) {
    const value = message[name]
    if (value === undefined) continue
    head.align(8).byte(code).signature(type)
    if (typeof value === 'number') head.uint32(value)
    else if (type === 'g') head.signature(value)
    else head.string(value)
  }
  const bytes = head.done()
  const fixed = new BusWriter().byte(0x6c).byte(message.type).byte(0).byte(1)
  fixed.uint32(message.body.length).uint32(message.serial).uint32(bytes.length)
  const padding = Buffer.alloc((8 - (bytes.length % 8)) % 8)
  return Buffer.concat([fixed.done(), bytes, padding, message.body])
}

/** The first message in these bytes and how many of them it takes; undefined while it is not all there. */
export function decodeMessage(bytes: Buffer): { message: BusMessage; length: number } | undefined {
  if (bytes.length < 16) return undefined
  const [bodyLength, serial, headLength] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12)]
  const bodyAt = Math.ceil((16 + headLength) / 8) * 8
  const length = bodyAt + bodyLength
  if (bytes.length < length) return undefined
  const message: BusMessage = { type: bytes.readUInt8(1), serial, body: bytes.subarray(bodyAt, length) }
  const reader = new BusReader(bytes, 16)
  while (reader.at < 16 + headLength) {
    const code = reader.align(8).byte()
    const type = reader.signature()
    const value = type === 'u' ? reader.uint32() : type === 'g' ? reader.signature() : reader.string()
    const name = fields.find(([known]) => known === code)?.[1]
    if (name !== undefined) Object.assign(message, { [name]: value })
  }
  return { message, length }
}
