import type { Duplex } from 'node:stream'
import { FrameBoundaries } from './boundaries.ts'
import { FrameReader, type Message, messageText, opcode, textFrame, unmaskedStart } from './frames.ts'
import { type HeldInput, HeldInputs } from './held-input.ts'
import { Link } from './link.ts'
import { type Command, judged, judgeHeld, readCommand } from './methods.ts'
import type { Upstream } from './upstream.ts'

/** What Chromium itself takes. */
const maxCommandBytes = 100 * 1024 * 1024
/** Input is looked for in this much of a command: every client writes the method before or after short parameters. */
const lookBytes = 512
const inputMark = Buffer.from('"Input.')
const pageMark = Buffer.from('"Page.')
const going = new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry'])
/** An engine that sends more at once than this is not waited for one by one. */
const mostUnderWay = 1000

export interface ControllerHooks {
  onClosed: () => void
  onRefused: () => void
  /** A tab was asked to go elsewhere. */
  onGoing: () => void
  /** The name of the person who has the lease; null when nobody has. */
  operator: () => string | null
}

/**
 * The controlling client. Its bytes pass untouched and unread, in whole messages; while a person has the lease each
 * message is read, and only what reads is passed on.
 */
export class ControllerLink extends Link {
  readonly #commands = new FrameReader({ masked: true, maxMessageBytes: maxCommandBytes })
  readonly #replies = new FrameBoundaries()
  readonly #hooks: ControllerHooks
  /** Frames of ours that wait for the end of one of Chromium's. */
  #waiting: Buffer[] = []
  /** Input that Chromium has not yet answered, and so perhaps not yet done. */
  readonly #inputUnderWay = new Set<number>()
  /** Addresses that Chromium has not yet said it got to. */
  readonly #goingUnderWay = new Set<number>()
  #settled: () => void = () => {}
  readonly #held = new HeldInputs()

  constructor(client: Duplex, upstream: Upstream, hooks: ControllerHooks) {
    super(client, upstream, hooks.onClosed)
    this.#hooks = hooks
  }

  protected get betweenFrames(): boolean {
    return this.#replies.between
  }

  tell(text: string): void {
    this.#inject(textFrame(text, false))
  }

  /** Settles when the input that was passed on before now has been done. */
  async inputDone(): Promise<void> {
    if (this.#inputUnderWay.size === 0) return
    await new Promise<void>((resolve) => {
      this.#settled = resolve
    })
  }

  /** Whether it has a tab on its way to an address. */
  get isGoing(): boolean {
    return this.#goingUnderWay.size > 0
  }

  /** What the client holds down; whoever asks lets go of it. */
  takeHeldInput(): HeldInput {
    return this.#held.take()
  }

  protected fromClient(chunk: Buffer): void {
    const { bytes, messages } = this.#commands.push(chunk)
    if (messages.length === 0) return
    this.noteGoodbye(messages)
    const operator = this.#hooks.operator()
    if (operator !== null) return this.#judgeAll(bytes, messages, operator)
    for (const message of messages) this.#note(bytes, message)
    this.toBrowser(bytes)
  }

  protected fromBrowser(chunk: Buffer): void {
    const listens = this.#inputUnderWay.size > 0 || this.#goingUnderWay.size > 0
    const last = this.#replies.walk(chunk, listens ? (at) => this.#noteReply(chunk, at) : undefined)
    if (this.#waiting.length === 0 || last === -1) return this.toClient(chunk)
    const parts = [chunk.subarray(0, last), ...this.#waiting, chunk.subarray(last)]
    this.#waiting = []
    this.toClient(Buffer.concat(parts))
  }

  #judgeAll(bytes: Buffer, messages: readonly Message[], operator: string): void {
    const passed: Buffer[] = []
    for (const message of messages) {
      if (message.opcode >= opcode.close) passed.push(bytes.subarray(message.start, message.end))
      else if (message.opcode !== opcode.text) return this.close(1003, 'CDP is text')
      else {
        const verdict = judged(messageText(bytes, message, true), (command) => judgeHeld(command, operator))
        if ('pass' in verdict) passed.push(textFrame(verdict.pass, true))
        else {
          this.#inject(textFrame(verdict.answer, false))
          this.#hooks.onRefused()
        }
      }
    }
    if (passed.length > 0) this.toBrowser(Buffer.concat(passed))
  }

  #inject(frame: Buffer): void {
    if (this.#replies.between) this.reply(frame)
    else this.#waiting.push(frame)
  }

  #note(bytes: Buffer, message: Message): void {
    if (message.opcode !== opcode.text || !mayMatter(bytes, message)) return
    const command = readCommand(messageText(bytes, message, true))
    if (command === undefined) return
    if (going.has(command.method)) return this.#noteGoing(command)
    if (!command.method.startsWith('Input.')) return
    this.#held.note(command)
    if (this.#inputUnderWay.size < mostUnderWay) this.#inputUnderWay.add(command.id)
  }

  #noteGoing({ id, method }: Command): void {
    // The others are answered before they have begun.
    if (method === 'Page.navigate' && this.#goingUnderWay.size < mostUnderWay) this.#goingUnderWay.add(id)
    this.#hooks.onGoing()
  }

  #noteReply(chunk: Buffer, at: number): void {
    const id = /^\{"id":(\d+),/.exec(chunk.toString('latin1', at, at + 24))?.[1]
    if (
      id === undefined ||
      this.#goingUnderWay.delete(Number(id)) ||
      !this.#inputUnderWay.delete(Number(id)) ||
      this.#inputUnderWay.size > 0
    )
      return
    this.#settled()
  }
}

/** In pieces it may stand anywhere; whole, it stands at the start. */
function mayMatter(bytes: Buffer, message: Message): boolean {
  const start =
    message.frames.length > 1
      ? Buffer.from(messageText(bytes, message, true))
      : unmaskedStart(bytes, message, lookBytes)
  return start.includes(inputMark) || start.includes(pageMark)
}
