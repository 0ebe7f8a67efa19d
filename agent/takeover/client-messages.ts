/** RFB from the client's side, cut into messages as its bytes arrive. RFC 6143 and the extensions viewers use. */

export type ClientMessage =
  /** `encodings` is what the client can take. */
  | { kind: 'encodings'; bytes: Buffer; encodings: number[] }
  | { kind: 'key'; bytes: Buffer; down: boolean; keysym: number; keycode: number | null }
  | { kind: 'pointer'; bytes: Buffer; buttons: number; x: number; y: number }
  | { kind: 'clipboard'; bytes: Buffer }
  /** `whole`: one screen, and it covers the desktop. */
  | { kind: 'desktopSize'; bytes: Buffer; width: number; height: number; whole: boolean }
  /** Powers the machine off, or starts it anew: nobody was told that this can be asked for. */
  | { kind: 'power'; bytes: Buffer }
  /** Asks for pictures, and changes nothing on the machine. */
  | { kind: 'view'; bytes: Buffer }

/** The stream cannot be followed any further: where the next message starts is not known. */
export class RfbError extends Error {}

const type = {
  setPixelFormat: 0,
  setEncodings: 2,
  updateRequest: 3,
  key: 4,
  pointer: 5,
  cutText: 6,
  continuousUpdates: 150,
  fence: 248,
  xvp: 250,
  setDesktopSize: 251,
  qemu: 255,
} as const

/** Longer ones are nobody's typing. */
const maxCutText = 1024 * 1024

/** Cuts a client's byte stream into messages, wherever the network cut it. */
export class ClientMessageParser {
  // Kept apart until a message is complete: joining at every tiny fragment of a long one would take for ever.
  #chunks: Buffer[] = []
  #size = 0
  #needed = 1

  /** The messages that are complete now. Throws `RfbError` when the stream makes no sense. */
  push(chunk: Buffer): ClientMessage[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return []
    const messages: ClientMessage[] = []
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    for (;;) {
      const length = messageLength(rest)
      if (length === undefined || rest.length < length) {
        this.#chunks = rest.length === 0 ? [] : [rest]
        this.#size = rest.length
        this.#needed = length ?? rest.length + 1
        return messages
      }
      messages.push(read(rest.subarray(0, length)))
      rest = rest.subarray(length)
    }
  }
}

/** How long the message is that starts here; undefined while too little of it is there to tell. */
function messageLength(data: Buffer): number | undefined {
  const known = (needed: number, length: () => number) => (data.length < needed ? undefined : length())
  switch (data[0]) {
    case undefined:
      return undefined
    case type.setPixelFormat:
      return 20
    case type.setEncodings:
      return known(4, () => 4 + 4 * data.readUInt16BE(2))
    case type.updateRequest:
      return 10
    case type.key:
      return 8
    case type.pointer:
      return 6
    case type.cutText:
      return known(8, () => 8 + cutTextLength(data.readInt32BE(4)))
    case type.continuousUpdates:
      return 10
    case type.fence:
      return known(9, () => 9 + (data[8] ?? 0))
    case type.xvp:
      return 4
    case type.setDesktopSize:
      return known(7, () => 8 + 16 * (data[6] ?? 0))
    case type.qemu:
      return known(2, () => qemuLength(data[1] ?? 0))
    default:
      throw new RfbError(`RFB message type ${data[0]} is not known here`)
  }
}

/** The extended clipboard gives its length as a negative number. */
function cutTextLength(length: number): number {
  if (Math.abs(length) > maxCutText) throw new RfbError('the clipboard text is too long')
  return Math.abs(length)
}

function qemuLength(subtype: number): number {
  if (subtype !== 0) throw new RfbError(`QEMU message ${subtype} is not known here`)
  return 12
}

function read(bytes: Buffer): ClientMessage {
  switch (bytes[0]) {
    case type.setEncodings:
      return { kind: 'encodings', bytes, encodings: readEncodings(bytes) }
    case type.key:
      return { kind: 'key', bytes, down: bytes[1] !== 0, keysym: bytes.readUInt32BE(4), keycode: null }
    case type.qemu:
      return {
        kind: 'key',
        bytes,
        down: bytes.readUInt16BE(2) !== 0,
        keysym: bytes.readUInt32BE(4),
        keycode: bytes.readUInt32BE(8),
      }
    case type.pointer:
      return { kind: 'pointer', bytes, buttons: bytes[1] ?? 0, x: bytes.readUInt16BE(2), y: bytes.readUInt16BE(4) }
    case type.cutText:
      return { kind: 'clipboard', bytes }
    case type.xvp:
      return { kind: 'power', bytes }
    case type.setDesktopSize:
      return { kind: 'desktopSize', bytes, ...readDesktopSize(bytes) }
    default:
      return { kind: 'view', bytes }
  }
}

function readDesktopSize(bytes: Buffer): { width: number; height: number; whole: boolean } {
  const [width, height] = [bytes.readUInt16BE(2), bytes.readUInt16BE(4)]
  const whole =
    bytes[6] === 1 &&
    bytes.readUInt32BE(12) === 0 &&
    bytes.readUInt16BE(16) === width &&
    bytes.readUInt16BE(18) === height
  return { width, height, whole }
}

function readEncodings(bytes: Buffer): number[] {
  return Array.from({ length: bytes.readUInt16BE(2) }, (_, index) => bytes.readInt32BE(4 + 4 * index))
}

export function writeEncodings(encodings: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + 4 * encodings.length)
  bytes[0] = type.setEncodings
  bytes.writeUInt16BE(encodings.length, 2)
  for (const [index, encoding] of encodings.entries()) bytes.writeInt32BE(encoding, 4 + 4 * index)
  return bytes
}

export function writeKey(keysym: number, keycode: number | null, down: boolean): Buffer {
  if (keycode === null) {
    const bytes = Buffer.alloc(8)
    bytes[0] = type.key
    bytes[1] = down ? 1 : 0
    bytes.writeUInt32BE(keysym, 4)
    return bytes
  }
  const bytes = Buffer.alloc(12)
  bytes[0] = type.qemu
  bytes.writeUInt16BE(down ? 1 : 0, 2)
  bytes.writeUInt32BE(keysym, 4)
  bytes.writeUInt32BE(keycode, 8)
  return bytes
}

/**
 * A size without a screen, which every server refuses. A client that asks for a size waits until it is told what became
 * of it, and only the server can tell: nobody else knows where one of its messages ends and another may begin.
 */
export function writeImpossibleSize({ width, height }: { width: number; height: number }): Buffer {
  const bytes = Buffer.alloc(8)
  bytes[0] = type.setDesktopSize
  bytes.writeUInt16BE(width, 2)
  bytes.writeUInt16BE(height, 4)
  return bytes
}

export function writePointer(buttons: number, x: number, y: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes[0] = type.pointer
  bytes[1] = buttons
  bytes.writeUInt16BE(x, 2)
  bytes.writeUInt16BE(y, 4)
  return bytes
}
