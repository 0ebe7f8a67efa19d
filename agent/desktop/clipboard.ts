import { Problem } from '../../shared/errors.ts'
import { maxRequestBytes, XConnection, type XEvent } from '../display/x11.ts'

/** The display's clipboard. It is the agent's only while the agent was the last to set it. */

interface DisplayEnv {
  DISPLAY: string
  XAUTHORITY?: string | undefined
}

const event = { propertyNotify: 28, selectionClear: 29, selectionRequest: 30, selectionNotify: 31 } as const
/** A program that owns the clipboard and does not hand it out is not waited for. */
const answerMs = 3000
export const maxTextBytes = 4 * 1024 * 1024

/** What is on the clipboard, as text; empty when nothing is, or no text. */
export async function readClipboard(env: DisplayEnv): Promise<string> {
  const x = await XConnection.open(env)
  try {
    const [clipboard, utf8, property, incremental] = await Promise.all(
      ['CLIPBOARD', 'UTF8_STRING', 'PILOTHOUSE_CLIPBOARD', 'INCR'].map((name) => x.atom(name)),
    )
    if (clipboard === undefined || utf8 === undefined || property === undefined) return ''
    const given = nextEvent(x, (next) => next.type === event.selectionNotify)
    x.send(24, 0, words(x.window, clipboard, utf8, property, 0))
    if ((await given).bytes.readUInt32LE(20) === 0) return ''
    // Changes that come from here on are new pieces, if it is a long text.
    const pieces: XEvent[] = []
    let wake = () => {}
    x.onEvent = (next) => {
      if (next.type !== event.propertyNotify || next.bytes[16] !== 0) return
      pieces.push(next)
      wake()
    }
    const first = await takeProperty(x, property)
    if (first.type !== incremental) return first.value.toString('utf8')
    const parts: Buffer[] = []
    for (let size = 0; ; ) {
      if (pieces.shift() === undefined) await within(new Promise<void>((resolve) => (wake = resolve)))
      else {
        const { value } = await takeProperty(x, property)
        if (value.length === 0) break
        parts.push(value)
        size += value.length
        if (size > maxTextBytes) throw tooLong()
      }
    }
    return Buffer.concat(parts).toString('utf8')
  } finally {
    x.close()
  }
}

/** Puts a text on the clipboard; returns what takes it off again, if it is still the agent's. */
export async function offerClipboard(env: DisplayEnv, text: string): Promise<() => void> {
  const x = await XConnection.open(env)
  try {
    const names = ['CLIPBOARD', 'TARGETS', 'UTF8_STRING', 'STRING', 'TEXT', 'text/plain;charset=utf-8', 'ATOM']
    const atoms = await Promise.all(names.map((name) => x.atom(name)))
    const [clipboard = 0, targets = 0, utf8 = 0, string = 0, , , atomType = 0] = atoms
    const texts = atoms.slice(2, 6)
    const content = Buffer.from(text, 'utf8')
    x.onEvent = (next) => {
      if (next.type === event.selectionClear) x.close()
      if (next.type !== event.selectionRequest) return
      const [requestor = 0, selection = 0, target = 0, wanted = 0] = [12, 16, 20, 24].map((at) =>
        next.bytes.readUInt32LE(at),
      )
      const property = wanted === 0 ? target : wanted
      const known = target === targets || texts.includes(target)
      if (target === targets) setProperty(x, requestor, property, atomType, 32, words(targets, ...texts))
      else if (target === string) setProperty(x, requestor, property, string, 8, Buffer.from(text, 'latin1'))
      else if (known) setProperty(x, requestor, property, utf8, 8, content)
      const answer = Buffer.alloc(32)
      answer[0] = event.selectionNotify
      next.bytes.copy(answer, 4, 4, 8)
      words(requestor, selection, target, known ? property : 0).copy(answer, 8)
      x.send(25, 0, Buffer.concat([words(requestor, 0), answer]))
    }
    x.send(22, 0, words(x.window, clipboard, 0))
    const owner = (await x.ask(23, 0, words(clipboard))).readUInt32LE(8)
    if (owner !== x.window) throw new Error('another program keeps the clipboard to itself')
    return () => x.close()
  } catch (error) {
    x.close()
    throw error
  }
}

function setProperty(x: XConnection, window: number, property: number, type: number, format: 8 | 32, data: Buffer) {
  for (let at = 0; at === 0 || at < data.length; at += maxRequestBytes) {
    const piece = data.subarray(at, at + maxRequestBytes)
    const rest = Buffer.alloc((4 - (piece.length % 4)) % 4)
    const head = words(window, property, type, format, piece.length / (format / 8))
    // The first replaces what was there; what did not fit into one request is added.
    x.send(18, at === 0 ? 0 : 2, Buffer.concat([head, piece, rest]))
  }
}

/** Reads a property and deletes it, which tells its writer to go on. */
async function takeProperty(x: XConnection, property: number): Promise<{ type: number; value: Buffer }> {
  const reply = await within(x.ask(20, 1, words(x.window, property, 0, 0, maxTextBytes / 4)))
  const bytes = reply.readUInt32LE(16) * ((reply[1] ?? 8) / 8)
  const left = reply.readUInt32LE(12)
  if (left > 0) throw tooLong()
  return { type: reply.readUInt32LE(8), value: reply.subarray(32, 32 + bytes) }
}

/** A part of a text would be taken for all of it. */
function tooLong(): Problem {
  return new Problem(
    'conflict',
    `The clipboard has more than ${maxTextBytes / 1024 / 1024} MiB of text. Copy less of it.`,
  )
}

function nextEvent(x: XConnection, fits: (next: XEvent) => boolean): Promise<XEvent> {
  const found = new Promise<XEvent>((resolve, reject) => {
    x.onEvent = (next) => {
      if (fits(next)) resolve(next)
    }
    x.onClose = () => reject(new Error('the display closed the connection'))
  })
  return within(found)
}

async function within<Value>(work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the program that has the clipboard does not answer')), answerMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}
