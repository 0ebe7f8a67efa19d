import type { LogLine } from '../../shared/contract/logs.ts'
import { milliseconds, nanoTime, parseSince } from '../../shared/domain/log-time.ts'
import { Problem } from '../../shared/errors.ts'
import { answer } from '../server/answer.ts'
import type { Handlers, ServerSocket, SocketHandlers } from '../server/handlers.ts'
import type { LogsService } from './logs.service.ts'
import { LogReader } from './reader.ts'

export function logsRoutes(logs: LogsService): Pick<Handlers, 'logs.get'> {
  return {
    async 'logs.get'({ service, lines, since, search }): Promise<{
      lines: LogLine[]
      service: string
      truncated: boolean
    }> {
      const from = since === undefined ? undefined : nanoTime(since)
      if (since !== undefined && from === undefined) {
        throw new Problem(
          'invalid-params',
          'since takes a time in the years 0000 to 9999, such as 2026-01-31T14:03:00Z.',
        )
      }
      const found = await logs.history(service, { lines, since: from, search })
      return { ...found, service }
    },
  }
}

interface Subscription {
  service: string
  since?: string | undefined
  batch?: boolean | undefined
}

/** `/ws/logs`: one subscription at a time; another takes its place. */
export function logsSocket(logs: LogsService): Pick<SocketHandlers, 'logs'> {
  return {
    logs: (params) => (socket) => {
      const subscriber = new Subscriber(logs, socket)
      socket.onMessage = (message) => {
        if (message.type === 'ping') answer(socket, { type: 'pong' })
        else if (message.type === 'unsubscribe') subscriber.leave()
        else void subscriber.subscribe(message)
      }
      socket.onClose = () => subscriber.leave()
      if (params.service !== undefined) void subscriber.subscribe({ service: params.service })
    },
  }
}

class Subscriber {
  readonly #logs: LogsService
  readonly #socket: ServerSocket<'logs'>
  #leave: () => void = () => {}
  /** Counts subscriptions: one that is overtaken while its service is looked for must not begin. */
  #turn = 0

  constructor(logs: LogsService, socket: ServerSocket<'logs'>) {
    this.#logs = logs
    this.#socket = socket
  }

  leave(): void {
    this.#turn++
    this.#leave()
    this.#leave = () => {}
  }

  async subscribe({ service, since, batch }: Subscription): Promise<void> {
    this.leave()
    const turn = this.#turn
    try {
      const after = since === undefined ? undefined : parseSince(since)
      if (since !== undefined && after === undefined) {
        throw new Problem('invalid-params', 'since takes the timestamp of a line, with "#" and its seq behind it.')
      }
      const feed = await this.#logs.feed(service)
      if (turn !== this.#turn) return
      const reader = new LogReader(this.#socket, service, batch === true)
      // Nothing was written after a time that is still to come: whoever's clock is ahead is not to wait for it.
      const ahead = after !== undefined && !since?.includes('#') && milliseconds(after.timestamp) > Date.now()
      const leaveFeed = feed.join(reader, ahead ? undefined : after)
      this.#leave = () => {
        leaveFeed()
        reader.close()
      }
    } catch (error) {
      if (turn !== this.#turn) return
      const problem = Problem.from(error)
      answer(this.#socket, { type: 'error', message: problem.message, code: problem.code })
    }
  }
}
