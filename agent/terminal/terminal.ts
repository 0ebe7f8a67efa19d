import os from 'node:os'
import type { SocketSend } from '../../shared/contract/index.ts'
import type { ServerSocket } from '../server/handlers.ts'
import type { Pty } from './pty.ts'
import type { Recording } from './recording.ts'
import { blockBytes, Scrollback, scrollbackBytes } from './scrollback.ts'
import { endSession, foregroundGroup, hangUp } from './shell-session.ts'

type Socket = ServerSocket<'terminal'>
export type TerminalExit = { exitCode: number | null; signal: string | null }

/**
 * Output under way to a client at which the terminal waits, and at which it goes on. xterm takes 50 MB a second:
 * this is 20 ms of it, so that Ctrl-C is seen to work, and enough that a busy machine at either end does not stop it.
 */
const highWaterBytes = 1024 * 1024
const lowWaterBytes = 512 * 1024
/** How long output is gathered for a frame: a quarter of the time that a screen shows a picture. */
const gatherMs = 4
/** The WebSocket and the disk do not say when they have drained; they are looked at this often while full. */
const drainPollMs = 5
/** A shell that is hung up on may save its history for this long. */
const graceMs = 2000

interface Attachment {
  socket: Socket
  operator: string | null
  sent: number
  acknowledged: number
  /** Whether this client acknowledges at all. */
  acknowledges: boolean
}

export interface TerminalOptions {
  id: string
  pty: Pty
  recording: Recording | undefined
  /** Called once when the shell has ended and its last output is out. */
  onEnd: (exit: TerminalExit) => void
  /** Called when the last client has gone: by a broken line, or because it wanted to. */
  onDetach: () => void
}

/** One shell and the client that looks at it. The shell outlives a dropped connection. */
export class Terminal {
  readonly id: string
  readonly #pty: Pty
  readonly #recording: Recording | undefined
  readonly #options: TerminalOptions
  readonly #scrollback = new Scrollback()
  /** Read and kept, but not sent yet. */
  #pendingBytes = 0
  #flushedAt = 0
  #gather: NodeJS.Timeout | undefined
  #attachment: Attachment | undefined
  #detachedAt = 0
  #paused = false
  #poll: NodeJS.Timeout | undefined
  #exit: TerminalExit | undefined
  #closing: Promise<void> | undefined
  /** Nothing writes any more: what is left is little, and is let through. */
  #drained = false
  readonly #ended = Promise.withResolvers<void>()

  constructor(options: TerminalOptions) {
    const { id, pty, recording } = options
    this.id = id
    this.#pty = pty
    this.#recording = recording
    this.#options = options
    pty.onData = (bytes, more) => this.#output(bytes, more)
    pty.onExit = ({ exitCode, signal }) => void this.#exited(exitCode, signal)
    pty.onDrain = () => this.#attachment?.socket.resume()
    if (recording !== undefined) recording.onFailure = (reason) => this.#fail(reason)
  }

  get attached(): boolean {
    return this.#attachment !== undefined
  }

  get bytes(): number {
    return this.#scrollback.end
  }

  get recordingName(): string | null {
    return this.#recording?.name ?? null
  }

  /** Connects a client; one that was there is told, and let go. */
  attach(socket: Socket, operator: string | null, again: { received: number | undefined } | undefined): void {
    const before = this.#attachment
    this.#flush()
    const { position, bytes } = this.#scrollback.from(again?.received)
    const attachment = { socket, operator, sent: 0, acknowledged: 0, acknowledges: false }
    this.#attachment = attachment
    if (before !== undefined) letGo(before.socket, operator)
    socket.onBytes = (input) => this.#input(input)
    socket.onMessage = (message) => this.#command(message)
    socket.onClose = () => this.#detach(attachment)
    const { id } = this
    socket.send({
      type: 'ready',
      id,
      reattached: again !== undefined,
      recorded: this.#recording !== undefined,
      position,
      end: this.#scrollback.end,
    })
    if (bytes.length > 0) this.#send(bytes)
    if (this.#exit !== undefined) this.#sayExit(this.#exit)
    // A program that fills the screen draws it anew.
    else if (again !== undefined) this.#signalForeground('SIGWINCH')
    this.#flow()
  }

  resize(cols: number, rows: number): void {
    if (this.#exit !== undefined) return
    this.#pty.resize(cols, rows)
    this.#recording?.resize(cols, rows)
  }

  /** Ends the shell and everything in its session. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      // The number of a shell that has ended may be another program's by now.
      if (this.#exit === undefined) await endSession(this.#pty.pid, graceMs)
      this.#drained = true
      // Paused output would keep the last words, and the exit behind them, for ever.
      this.#resume()
      await this.#ended.promise
    })()
    return this.#closing
  }

  #output(bytes: Buffer, more: (into: Buffer) => number): void {
    if (this.#pendingBytes === 0) this.#flushSoon()
    this.#scrollback.add(bytes)
    this.#pendingBytes += bytes.length
    // To the end of a block, so that a frame is one piece of memory, and no further in one go: nobody else has to wait
    // for a program that writes without end.
    while (this.#scrollback.end % blockBytes > 0) {
      const count = this.#scrollback.fill(more)
      if (count === 0) return
      this.#pendingBytes += count
    }
    this.#flush()
  }

  /** After a pause at once: that is the echo of a key. In a stream of output, together with what follows. */
  #flushSoon(): void {
    if (performance.now() - this.#flushedAt > gatherMs) setImmediate(() => this.#flush())
    else this.#gather ??= setTimeout(() => this.#flush(), gatherMs)
  }

  #flush(): void {
    clearTimeout(this.#gather)
    this.#gather = undefined
    if (this.#pendingBytes === 0) return
    const frames = this.#scrollback.last(this.#pendingBytes)
    this.#pendingBytes = 0
    this.#flushedAt = performance.now()
    for (const frame of frames) {
      this.#recording?.output(frame)
      this.#send(frame)
    }
    this.#flow()
  }

  #send(bytes: Buffer): void {
    if (this.#attachment === undefined) return
    this.#attachment.sent += bytes.length
    this.#attachment.socket.sendBytes(bytes)
  }

  #input(bytes: Buffer): void {
    if (this.#exit !== undefined) return
    if (!this.#pty.write(bytes)) this.#attachment?.socket.pause()
  }

  #command(message: SocketSend<'terminal'>): void {
    if (message.type === 'resize') this.resize(message.cols, message.rows)
    else if (message.type === 'signal') this.#signalForeground(message.signal)
    else if (message.type === 'close') void this.close()
    else this.#acknowledged(message.bytes)
  }

  #acknowledged(bytes: number): void {
    const attachment = this.#attachment
    if (attachment === undefined) return
    attachment.acknowledges = true
    // More than was sent cannot have arrived.
    attachment.acknowledged = Math.min(attachment.sent, attachment.acknowledged + bytes)
    this.#flow()
  }

  /** Stops reading the terminal while output piles up anywhere, and goes on when it no longer does. */
  #flow(): void {
    if (this.#drained || this.#exit !== undefined) return this.#resume()
    const limit = this.#paused ? lowWaterBytes : highWaterBytes
    const waitsForDrain = (this.#attachment?.socket.bufferedBytes ?? 0) > limit || this.#recording?.full === true
    const waits = waitsForDrain || this.#unseen() > (this.attached ? limit : scrollbackBytes / 2)
    if (waits && !this.#paused) {
      this.#paused = true
      this.#pty.pause()
    } else if (!waits) this.#resume()
    clearTimeout(this.#poll)
    if (waitsForDrain) this.#poll = setTimeout(() => this.#flow(), drainPollMs)
  }

  /** Without a client, half of what is kept is let in: whoever comes back finds all that was under way as well. */
  #unseen(): number {
    if (this.#attachment === undefined) return this.#scrollback.end - this.#detachedAt
    return this.#attachment.acknowledges ? this.#attachment.sent - this.#attachment.acknowledged : 0
  }

  #resume(): void {
    clearTimeout(this.#poll)
    if (!this.#paused) return
    this.#paused = false
    this.#pty.resume()
  }

  #detach(attachment: Attachment): void {
    if (this.#attachment !== attachment) return
    this.#attachment = undefined
    this.#detachedAt = this.#scrollback.end
    this.#flow()
    this.#options.onDetach()
  }

  #signalForeground(name: NodeJS.Signals): void {
    const group = foregroundGroup(this.#pty.pid)
    if (this.#exit !== undefined || group === undefined) return
    try {
      process.kill(-group, name)
    } catch {
      // It ended by itself, or belongs to another user: sudo.
    }
  }

  #fail(reason: string): void {
    this.#attachment?.socket.send({
      type: 'error',
      message: `Terminals are recorded on this machine, and ${reason}. This one is closed; open another.`,
    })
    void this.close()
  }

  async #exited(exitCode: number, signal: number): Promise<void> {
    this.#flush()
    clearTimeout(this.#poll)
    const exit = signal === 0 ? { exitCode, signal: null } : { exitCode: null, signal: signalName(signal) }
    this.#exit = exit
    hangUp(this.#pty.pid)
    await this.#recording?.end()
    this.#options.onEnd(exit)
    this.#sayExit(exit)
    this.#ended.resolve()
  }

  #sayExit(exit: TerminalExit): void {
    this.#attachment?.socket.send({ type: 'exit', ...exit })
    this.#attachment?.socket.close(1000, 'the shell has ended')
  }
}

/** What it still sends is not for this terminal: neither its keys, nor what it acknowledges of its own output. */
function letGo(socket: Socket, operator: string | null): void {
  socket.onBytes = () => {}
  socket.onMessage = () => {}
  socket.send({ type: 'taken_over', operator })
  socket.close(4001, 'another client attached')
}

function signalName(number: number): string {
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0] ?? String(number)
}
