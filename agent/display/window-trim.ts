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
const placeAndSize = 0xf
/** A window that asks for its size again whenever it gets another one is left as it is after so many times. */
const mostFits = 8

/**
 * Takes off what a window that covers its display, or is too large for it, has beyond it. Chromium cannot be asked for a window of exactly
 * that size (see `coveringSize`), and without a window manager nobody else sees to it; what is told by the display
 * it accepts. The dialog in which a person chooses a file is larger than many a display, and its buttons are at the
 * bottom. For displays where no other program has windows.
 */
export class WindowTrim {
  /** Of the display; to be set when that changes. */
  size: Size
  readonly #connection: XConnection
  /** How often each window that is too large was made smaller. */
  readonly #fits = new Map<number, number>()

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
    if (covers) {
      if (width > this.size.width || height > this.size.height) this.#place(window, { x, y, ...this.size })
      return
    }
    // Menus and hints place themselves, and know of no other size.
    const placesItself = bytes[place + 10] !== 0
    if (placesItself || (width <= this.size.width && height <= this.size.height)) return
    const fits = this.#fits.get(window) ?? 0
    if (fits === mostFits) return
    this.#fits.set(window, fits + 1)
    const size = { width: Math.min(width, this.size.width), height: Math.min(height, this.size.height) }
    const within = (at: number, room: number) => Math.max(0, Math.min(at, room))
    this.#place(window, {
      x: within(x, this.size.width - size.width),
      y: within(y, this.size.height - size.height),
      ...size,
    })
  }

  #place(window: number, { x, y, width, height }: Size & { x: number; y: number }): void {
    const body = Buffer.alloc(24)
    body.writeUInt32LE(window, 0)
    body.writeUInt16LE(placeAndSize, 4)
    for (const [index, value] of [x, y, width, height].entries()) body.writeUInt32LE(value, 8 + 4 * index)
    this.#connection.send(configureWindow, 0, body)
  }
}
