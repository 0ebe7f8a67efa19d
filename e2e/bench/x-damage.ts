import { XConnection } from '../../agent/display/x11.ts'

const queryExtension = 98
const damageRequests = { version: 0, create: 1 }
/** Every rectangle as it is drawn, not only the first since someone looked. */
const rawRectangles = 0
const fakeInput = 2
const events = { press: 4, release: 5, motion: 6 }
const waitMs = 5000

interface Place {
  x: number
  y: number
}

/**
 * The display itself, without any viewer: presses where the X server takes input, and hears where it draws. Nothing
 * that shows the display to anyone can be faster than this.
 */
export class DamageView {
  readonly #connection: XConnection
  readonly #test: number
  #watched: { at: Place; seen: () => void } | null = null

  private constructor(connection: XConnection, test: number, damageEvent: number) {
    this.#connection = connection
    this.#test = test
    connection.onEvent = ({ type, bytes }) => {
      if (type === damageEvent) this.#damaged(bytes)
    }
  }

  static async open(env: { DISPLAY: string; XAUTHORITY: string }): Promise<DamageView> {
    const connection = await XConnection.open(env)
    const [damage, test] = [await extension(connection, 'DAMAGE'), await extension(connection, 'XTEST')]
    const version = Buffer.alloc(8)
    version.writeUInt32LE(1, 0)
    version.writeUInt32LE(1, 4)
    await connection.ask(damage.opcode, damageRequests.version, version)
    const create = Buffer.alloc(12)
    // The connection has one window of its own; the next number of its range is free.
    create.writeUInt32LE(connection.window + 1, 0)
    create.writeUInt32LE(connection.root, 4)
    create[8] = rawRectangles
    connection.send(damage.opcode, damageRequests.create, create)
    return new DamageView(connection, test.opcode, damage.firstEvent)
  }

  move(at: Place): void {
    this.#input(events.motion, at)
  }

  /** Milliseconds from a press at one place to the first drawing that covers another. */
  async click(at: Place, watched: Place): Promise<number> {
    const began = performance.now()
    const seen = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the press changed nothing')), waitMs)
      this.#watched = {
        at: watched,
        seen: () => {
          clearTimeout(timer)
          resolve(performance.now() - began)
        },
      }
    })
    this.#input(events.press, at)
    const taken = await seen
    this.#input(events.release, at)
    return taken
  }

  close(): void {
    this.#connection.close()
  }

  #input(kind: number, at: Place): void {
    const body = Buffer.alloc(32)
    body[0] = kind
    body[1] = kind === events.motion ? 0 : 1
    body.writeInt16LE(at.x, 20)
    body.writeInt16LE(at.y, 22)
    this.#connection.send(this.#test, fakeInput, body)
  }

  #damaged(bytes: Buffer): void {
    const watched = this.#watched
    if (watched === null) return
    const [x, y, width, height] = [
      bytes.readInt16LE(16),
      bytes.readInt16LE(18),
      bytes.readUInt16LE(20),
      bytes.readUInt16LE(22),
    ]
    const { at } = watched
    if (at.x < x || at.x >= x + width || at.y < y || at.y >= y + height) return
    this.#watched = null
    watched.seen()
  }
}

async function extension(connection: XConnection, name: string): Promise<{ opcode: number; firstEvent: number }> {
  const text = Buffer.from(name, 'latin1')
  const body = Buffer.alloc(4 + ((text.length + 3) & ~3))
  body.writeUInt16LE(text.length)
  text.copy(body, 4)
  const reply = await connection.ask(queryExtension, 0, body)
  if (reply[8] !== 1) throw new Error(`this X server has no ${name}, which is what the picture is measured against`)
  return { opcode: reply[9] ?? 0, firstEvent: reply[10] ?? 0 }
}
