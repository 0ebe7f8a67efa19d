import { XConnection, type XEvent } from './x11.ts'

interface Size {
  width: number
  height: number
}

/** Of X11: requests, events, and the wish to hear of the windows right below another. */
const changeWindowAttributes = 2
const configureWindow = 12
const createNotify = 16
const configureNotify = 22
const eventMask = 0x800
const substructureNotify = 0x80000
const widthAndHeight = 0xc

/**
 * Takes off what a window that covers its display has beyond it. Chromium cannot be asked for a window of exactly
 * that size (see `coveringSize`), and without a window manager nobody else sees to it; what is told by the display
 * it accepts. For displays where no other program has windows.
 */
export class WindowTrim {
  /** Of the display; to be set when that changes. */
  size: Size
  readonly #connection: XConnection

  private constructor(connection: XConnection, size: Size) {
    this.#connection = connection
    this.size = size
    connection.onEvent = (event) => this.#look(event)
    const body = Buffer.alloc(12)
    body.writeUInt32LE(connection.root, 0)
    body.writeUInt32LE(eventMask, 4)
    body.writeUInt32LE(substructureNotify, 8)
    connection.send(changeWindowAttributes, 0, body)
  }

  /** Of all windows that come from now on. */
  static async start(env: { DISPLAY: string; XAUTHORITY: string }, size: Size): Promise<WindowTrim> {
    return new WindowTrim(await XConnection.open(env), size)
  }

  close(): void {
    this.#connection.close()
  }

  #look({ type, bytes }: XEvent): void {
    if (type !== createNotify && type !== configureNotify) return
    const window = bytes.readUInt32LE(8)
    // The two events are alike, but for the sibling that only the second one names.
    const place = type === createNotify ? 12 : 16
    const [x, y] = [bytes.readInt16LE(place), bytes.readInt16LE(place + 2)]
    const [width, height] = [bytes.readUInt16LE(place + 4), bytes.readUInt16LE(place + 6)]
    const covers = x === 0 && y === 0 && width >= this.size.width && height >= this.size.height
    if (!covers || (width === this.size.width && height === this.size.height)) return
    const body = Buffer.alloc(16)
    body.writeUInt32LE(window, 0)
    body.writeUInt16LE(widthAndHeight, 4)
    body.writeUInt32LE(this.size.width, 8)
    body.writeUInt32LE(this.size.height, 12)
    this.#connection.send(configureWindow, 0, body)
  }
}
