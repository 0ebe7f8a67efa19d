import type { LogLine } from '../../shared/contract/logs.ts'
import type { ServerSocket } from '../server/handlers.ts'

/** A batch is sent when it is this large or this old, whichever comes first. */
const batchBytes = 64 * 1024
const batchMs = 16
/** What one reader may have waiting, in the socket and before it; beyond, lines are dropped and counted. */
const maxWaitingBytes = 4 * 1024 * 1024
/** Once lines are dropped, it goes on so until there is room for many: one gap, not a thousand. */
const roomAgainBytes = 2 * 1024 * 1024
/** The socket is given no more than this at a time, so that what waits is lines, which can still be counted. */
const socketBytes = 512 * 1024
/** How often a full socket is looked at. */
const lookMs = 4
/** What a line takes besides its text. */
const lineOverheadBytes = 120

type Waiting = LogLine | { dropped: number } | { notice: string }
type LogSocket = Pick<ServerSocket<'logs'>, 'send' | 'bufferedBytes'>

/** One subscription of one socket: batches its lines, and drops what its client does not read in time. */
export class LogReader {
  readonly #socket: LogSocket
  readonly #service: string
  readonly #batch: boolean
  #waiting: Waiting[] = []
  #taken = 0
  #bytes = 0
  #dropping: { dropped: number } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether the timer waits for a batch to grow, and not for the socket. */
  #gathering = false
  #sentAt = Number.NEGATIVE_INFINITY
  #closed = false
  #room: (() => void)[] = []

  constructor(socket: LogSocket, service: string, batch: boolean) {
    this.#socket = socket
    this.#service = service
    this.#batch = batch
  }

  push(lines: readonly LogLine[]): void {
    if (this.#closed) return
    for (const line of lines) this.#add(line)
    this.#flush()
  }

  notice(message: string): void {
    if (this.#closed) return
    this.#waiting.push({ notice: message })
    this.#flush()
  }

  /** For a source that can wait: settled when the reader has taken most of what it was given. */
  whenRoom(): void | Promise<void> {
    if (this.#closed || this.#load < socketBytes) return
    return new Promise((resolve) => {
      this.#room.push(resolve)
      // All may be in the socket already: then nobody else looks whether it was taken.
      if (this.#timer === undefined) this.#later(lookMs)
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#waiting = []
    this.#letIn()
  }

  get #load(): number {
    return this.#bytes + this.#socket.bufferedBytes
  }

  #add(line: LogLine): void {
    const size = sizeOf(line)
    // A gap ends only when there is room for more than a line or two; a single line always fits an empty buffer.
    const limit = this.#dropping === undefined ? maxWaitingBytes : roomAgainBytes
    const load = this.#load
    if (load > 0 && load + size > limit) {
      if (this.#dropping === undefined) {
        this.#dropping = { dropped: 0 }
        this.#waiting.push(this.#dropping)
      }
      this.#dropping.dropped++
      return
    }
    this.#dropping = undefined
    this.#waiting.push(line)
    this.#bytes += size
  }

  #flush(): void {
    if (this.#closed) return
    if (this.#timer !== undefined) {
      if (!this.#gathering || this.#bytes < batchBytes) return
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
    while (this.#taken < this.#waiting.length) {
      this.#gathering = false
      if (this.#socket.bufferedBytes > socketBytes) return this.#later(lookMs)
      const sinceSent = performance.now() - this.#sentAt
      if (this.#batch && this.#bytes < batchBytes && sinceSent < batchMs) {
        this.#gathering = true
        return this.#later(batchMs - sinceSent)
      }
      this.#sendNext()
    }
    if (this.#load < socketBytes) this.#letIn()
    else if (this.#room.length > 0) this.#later(lookMs)
  }

  #later(ms: number): void {
    if (this.#load < socketBytes) this.#letIn()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, ms)
  }

  #letIn(): void {
    for (const resolve of this.#room.splice(0)) resolve()
  }

  #sendNext(): void {
    const first = this.#shift()
    if (first === undefined) return
    this.#sentAt = performance.now()
    if ('notice' in first) {
      this.#socket.send({ type: 'notice', message: first.notice, service: this.#service })
      return
    }
    const dropped = 'dropped' in first ? first.dropped : 0
    if (first === this.#dropping) this.#dropping = undefined
    const line = 'dropped' in first ? this.#shiftLine() : first
    if (this.#batch) this.#socket.send({ type: 'logs', lines: line === undefined ? [] : this.#gather(line), dropped })
    else if (line !== undefined) this.#socket.send({ type: 'log', ...line, ...(dropped > 0 ? { dropped } : {}) })
    else this.#socket.send({ type: 'notice', message: gapMessage(dropped), service: this.#service, dropped })
  }

  #gather(first: LogLine): LogLine[] {
    const lines = [first]
    for (let size = sizeOf(first); size < batchBytes; ) {
      const line = this.#shiftLine()
      if (line === undefined) break
      lines.push(line)
      size += sizeOf(line)
    }
    return lines
  }

  /** The next waiting thing if it is a line: a gap or a notice begins a message of its own. */
  #shiftLine(): LogLine | undefined {
    const next = this.#waiting[this.#taken]
    return next === undefined || !('message' in next) ? undefined : (this.#shift() as LogLine)
  }

  #shift(): Waiting | undefined {
    const next = this.#waiting[this.#taken++]
    if (next !== undefined && 'message' in next) this.#bytes -= sizeOf(next)
    if (this.#taken === this.#waiting.length || this.#taken >= 4096) {
      this.#waiting = this.#waiting.slice(this.#taken)
      this.#taken = 0
    }
    return next
  }
}

function sizeOf(line: LogLine): number {
  return line.message.length + lineOverheadBytes
}

function gapMessage(dropped: number): string {
  return `${dropped} lines were dropped, because they were read too slowly.`
}
