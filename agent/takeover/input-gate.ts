import { type ClientMessage, writeEncodings, writeImpossibleSize, writeKey, writePointer } from './client-messages.ts'

/** Extensions that bring client messages whose length the agent could not tell, so they are never agreed on. */
const notOffered = new Set([
  -259, // QEMU audio
  -305, // general input interface
  -309, // xvp: power off and reset
  -316, // extended mouse buttons: a pointer message of another length
])
const extendedClipboard = 0xc0a1e5ce | 0
const extendedDesktopSize = -308
/** Sizes that a display surely takes, so that the window can follow without asking what became of it. */
const [minSide, maxSide] = [200, 8192]

export interface GateOptions {
  /** Asked for every message that acts on the machine: the lease may have ended since the last one. */
  mayControl: () => boolean
  clipboard: boolean
  /** Whether the display can change its size. */
  resizable: boolean
  /** Asked for every size: whether the display has to stay as large as it is now. */
  keepsSize: () => boolean
}

/** Decides what of a client's messages reaches the VNC server, and remembers what it holds down. */
export class InputGate {
  readonly #options: GateOptions
  readonly #keysDown = new Map<string, { keysym: number; keycode: number | null }>()
  /** Xvnc 1.12 crashes on a size from a client that had not said it knows sizes. */
  #knowsSizes = false
  #pointer = { buttons: 0, x: 0, y: 0 }

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** The bytes to pass on; null when the message is dropped. */
  pass(message: ClientMessage): Buffer | null {
    switch (message.kind) {
      case 'view':
        return message.bytes
      case 'power':
        return null
      case 'encodings':
        this.#knowsSizes = message.encodings.includes(extendedDesktopSize)
        return writeEncodings(message.encodings.filter((encoding) => this.#offered(encoding)))
      case 'clipboard':
        return this.#options.clipboard && this.#options.mayControl() ? message.bytes : null
      case 'desktopSize':
        if (!this.#takesSize(message) || !this.#options.mayControl()) return null
        return this.#options.keepsSize() ? writeImpossibleSize(message) : message.bytes
      case 'key':
        if (!this.#options.mayControl()) return null
        this.#remember(message)
        return message.bytes
      case 'pointer':
        if (!this.#options.mayControl()) return null
        this.#pointer = { buttons: message.buttons, x: message.x, y: message.y }
        return message.bytes
    }
  }

  /** What lets go of every key and button this client holds down; empty when it holds none. */
  release(): Buffer {
    const parts = [...this.#keysDown.values()].map(({ keysym, keycode }) => writeKey(keysym, keycode, false))
    if (this.#pointer.buttons !== 0) parts.push(writePointer(0, this.#pointer.x, this.#pointer.y))
    this.#keysDown.clear()
    this.#pointer.buttons = 0
    return Buffer.concat(parts)
  }

  #remember(key: { down: boolean; keysym: number; keycode: number | null }): void {
    const name = key.keycode === null ? `sym ${key.keysym}` : `code ${key.keycode}`
    if (!key.down) this.#keysDown.delete(name)
    // No keyboard has this many: a client that sends more is not a person.
    else if (this.#keysDown.size < 256) this.#keysDown.set(name, { keysym: key.keysym, keycode: key.keycode })
  }

  #takesSize(size: { width: number; height: number; whole: boolean }): boolean {
    const fits = (side: number) => side >= minSide && side <= maxSide
    return this.#options.resizable && this.#knowsSizes && size.whole && fits(size.width) && fits(size.height)
  }

  #offered(encoding: number): boolean {
    if (encoding === extendedClipboard) return this.#options.clipboard
    return !notOffered.has(encoding)
  }
}
