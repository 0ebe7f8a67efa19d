import type { SocketReceive, SocketSend } from '../../../../shared/contract/index.ts'
import type { LogLine } from '../../../../shared/contract/logs.ts'
import { comparePositions } from '../../../../shared/domain/log-time.ts'
import { PortStream } from '../../../../shared/stream.ts'
import type { FromEngine } from './protocol.ts'

export interface Sink {
  lines(lines: readonly LogLine[], dropped: number): void | Promise<void>
  notice(text: string): void
}

/** One service of one machine: its stream, and where in it the last line stands. */
export class Source {
  readonly #post: (message: FromEngine) => void
  readonly #id: number
  #stream: PortStream | undefined
  /** The last line of each container; a service may have several, which number theirs apart. */
  readonly #last = new Map<string, { timestamp: string; seq: number }>()
  #latest: { timestamp: string; seq: number } | undefined
  /** The time of a line that is still to come before all that was written earlier is there. */
  #until: string | undefined
  lastTime: number | undefined

  constructor(post: (message: FromEngine) => void, id: number) {
    this.#post = post
    this.#id = id
  }

  /** Whether a line was not there before; notes that it is now. */
  isNew({ timestamp, seq, container = '' }: LogLine): boolean {
    const position = { timestamp, seq: seq ?? 0 }
    const last = this.#last.get(container)
    // Only the overlap of two looks is left out. A clock that was set back is believed.
    if (last !== undefined && seq !== undefined && last.timestamp === timestamp) {
      if (comparePositions(position, last) <= 0) return false
    }
    this.#last.set(container, position)
    if (this.#latest === undefined || timestamp >= this.#latest.timestamp) this.#latest = position
    return true
  }

  /** Where to go on after a cut. */
  get since(): string | undefined {
    return this.#latest === undefined ? undefined : `${this.#latest.timestamp}#${this.#latest.seq}`
  }

  attach(port: MessagePort, service: string, { since, until }: { since?: string; until?: string }, sink: Sink): void {
    this.close()
    this.#until = until ?? this.#until
    const stream = new PortStream(port, (handler) => port.addEventListener('message', ({ data }) => handler(data)))
    port.addEventListener('close', () => stream.lost())
    this.#stream = stream
    let problem: { code: string; message: string } | null = null
    stream.onText = (text) => {
      const message = JSON.parse(text) as SocketReceive<'logs'>
      if (message.type === 'logs') return this.#pass(message.lines, message.dropped, sink)
      if (message.type === 'log') return this.#pass([message], message.dropped ?? 0, sink)
      if (message.type === 'notice') sink.notice(message.message)
      if (message.type === 'error') {
        problem = { code: message.code ?? 'internal', message: message.message }
        stream.close()
      }
    }
    stream.onClose = () => {
      if (this.#stream !== stream) return
      this.#stream = undefined
      this.#post({ type: 'lost', source: this.#id, since: this.since ?? since, problem })
    }
    const from = this.since ?? since
    const wish: SocketSend<'logs'> = {
      type: 'subscribe',
      service,
      batch: true,
      ...(from !== undefined && { since: from }),
    }
    stream.sendText(JSON.stringify(wish))
    if (this.#until === undefined) this.#post({ type: 'live', source: this.#id })
  }

  #pass(lines: readonly LogLine[], dropped: number, sink: Sink): void | Promise<void> {
    const room = sink.lines(lines, dropped)
    const last = lines.at(-1)
    if (this.#until !== undefined && last !== undefined && last.timestamp >= this.#until) {
      this.#until = undefined
      this.#post({ type: 'live', source: this.#id })
    }
    return room
  }

  close(): void {
    const stream = this.#stream
    this.#stream = undefined
    stream?.close()
  }
}
