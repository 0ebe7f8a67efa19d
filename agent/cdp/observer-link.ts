import type { Duplex } from 'node:stream'
import { type Batch, FrameReader, type Message, messageText, opcode, textFrame, unmasked } from './frames.ts'
import { Link } from './link.ts'
import { judged, judgeObserver, surelyReads } from './methods.ts'
import type { Upstream } from './upstream.ts'
import { mayHoldCookies, withoutCookies } from './without-cookies.ts'

/** Commands that read are short. */
const maxCommandBytes = 1024 * 1024
/** Up to this length a command is looked at without parsing it. */
const plainBytes = 512
/** A screenshot of a large page is the biggest message. */
const maxReplyBytes = 256 * 1024 * 1024
/**
 * An event is what the page chose to say, a text of any length on its console for one. A console takes no message much
 * larger than this, and would be told the same again at its next connection.
 */
const maxEventBytes = 8 * 1024 * 1024

/** A client that may look: every command is read and judged, every event with cookies in it is stripped of them. */
export class ObserverLink extends Link {
  readonly #commands = new FrameReader({ masked: true, maxMessageBytes: maxCommandBytes })
  readonly #replies = new FrameReader({ masked: false, maxMessageBytes: maxReplyBytes })
  readonly #onRefused: () => void

  constructor(client: Duplex, upstream: Upstream, hooks: { onClosed: () => void; onRefused: () => void }) {
    super(client, upstream, hooks.onClosed)
    this.#onRefused = hooks.onRefused
  }

  /** Only whole messages are passed to the client, so there is always room between two. */
  protected get betweenFrames(): boolean {
    return true
  }

  tell(text: string): void {
    this.reply(textFrame(text, false))
  }

  protected fromClient(chunk: Buffer): void {
    const { bytes, messages } = this.#commands.push(chunk)
    this.noteGoodbye(messages)
    if (messages.length > 0 && messages.every((message) => isPlainRead(bytes, message))) return this.toBrowser(bytes)
    const passed: Buffer[] = []
    const answers: Buffer[] = []
    for (const message of messages) {
      if (message.opcode >= opcode.close) passed.push(bytes.subarray(message.start, message.end))
      else if (message.opcode !== opcode.text) return this.close(1003, 'CDP is text')
      else this.#judge(messageText(bytes, message, true), passed, answers)
    }
    if (passed.length > 0) this.toBrowser(Buffer.concat(passed))
    if (answers.length > 0) this.reply(Buffer.concat(answers))
  }

  #judge(text: string, passed: Buffer[], answers: Buffer[]): void {
    const verdict = judged(text, judgeObserver)
    if ('pass' in verdict) {
      passed.push(textFrame(verdict.pass, true))
      return
    }
    answers.push(textFrame(verdict.answer, false))
    this.#onRefused()
  }

  protected fromBrowser(chunk: Buffer): void {
    const batch = this.#replies.push(chunk)
    const suspect = batch.messages.some((message) => isTooLarge(message) || isSuspect(batch, message))
    if (!suspect) {
      if (batch.bytes.length > 0) this.toClient(batch.bytes)
      return
    }
    const passed: Buffer[] = []
    for (const message of batch.messages) {
      if (isTooLarge(message)) {
        const text = messageText(batch.bytes, message, false)
        // An answer was asked for, and goes on whatever its size.
        passed.push(text.startsWith('{"method"') ? textFrame(leftOut(text), false) : whole(batch, message))
      } else if (!isSuspect(batch, message)) passed.push(batch.bytes.subarray(message.start, message.end))
      else {
        const text = withoutCookies(messageText(batch.bytes, message, false))
        if (text !== null) passed.push(textFrame(text, false))
      }
    }
    if (passed.length > 0) this.toClient(Buffer.concat(passed))
  }
}

/** A short reading command in one frame: nearly all of them are, and they pass as they came. */
function isPlainRead(bytes: Buffer, { opcode: kind, frames }: Message): boolean {
  const [first] = frames
  if (kind !== opcode.text || first === undefined || frames.length > 1 || first.length > plainBytes) return false
  return surelyReads(unmasked(bytes, first).toString('latin1'))
}

function isTooLarge({ frames }: Message): boolean {
  return frames.reduce((sum, { length }) => sum + length, 0) > maxEventBytes
}

const whole = ({ bytes }: Batch, { start, end }: Message) => bytes.subarray(start, end)

/** Said in place of an event that was too large: which one it was, and of whom. Chromium ends one with its session. */
function leftOut(text: string): string {
  const method = /^\{"method":"([A-Za-z.]{1,100})"/.exec(text)?.[1] ?? ''
  const sessionId = /"sessionId":"([0-9A-F]{1,64})"\}$/.exec(text.slice(-100))?.[1]
  return JSON.stringify({ method: 'Pilothouse.leftOut', params: { method, bytes: text.length }, sessionId })
}

function isSuspect({ bytes }: Batch, message: Message): boolean {
  const first = message.frames[0]
  if (message.opcode !== opcode.text || first === undefined) return false
  return message.frames.length > 1 || mayHoldCookies(bytes.subarray(first.payloadAt, first.payloadAt + first.length))
}
