import type { LogLine } from '../contract/logs.ts'
import { Problem } from '../errors.ts'
import { backoff } from './backoff.ts'
import type { AgentClient } from './client.ts'
import type { AgentSocket } from './socket.ts'
import { unreachable } from './unreachable.ts'

export interface LogHandlers {
  /** `dropped` counts the lines before these that the agent had to leave out, because they were read too slowly. */
  onLines: (lines: LogLine[], dropped: number) => void
  /** Something about the stream itself: its container was replaced, Docker restarted. */
  onNotice?: (message: string) => void
  onOpen?: () => void
  /** The line was cut, or the agent says that there is no such log; it is tried again. */
  onDown?: (problem: Problem) => void
}

/**
 * Follows a service's log for as long as wanted: reconnects by itself and goes on behind the last line it saw, so
 * that none is missed and none comes twice. Returns the way to stop.
 * @param since The position of a line that was seen before, as `positionOf` gives it; without one it begins now.
 */
export function followLogs(client: AgentClient, service: string, handlers: LogHandlers, since?: string): () => void {
  let stopped = false
  let last = since
  let socket: AgentSocket<'logs'> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const delay = backoff()

  const again = (problem: Problem) => {
    if (stopped) return
    handlers.onDown?.(problem)
    if (!stopped) timer = setTimeout(connect, delay.next())
  }

  async function connect(): Promise<void> {
    try {
      const opened = await client.open('logs', {})
      if (stopped) return opened.close()
      socket = opened
      opened.onMessage = (message) => {
        if (message.type === 'logs') {
          delay.reset()
          const newest = message.lines.at(-1)
          if (newest !== undefined) last = positionOf(newest)
          handlers.onLines(message.lines, message.dropped)
        } else if (message.type === 'notice') handlers.onNotice?.(message.message)
        else if (message.type === 'error') opened.close(1000, message.message)
      }
      opened.onClose = (code, reason) => again(new Problem('unreachable', `The log stream ended (${code} ${reason}).`))
      opened.send({ type: 'subscribe', service, batch: true, ...(last === undefined ? {} : { since: last }) })
      handlers.onOpen?.()
    } catch (error) {
      again(unreachable(error))
    }
  }

  void connect()
  return () => {
    stopped = true
    clearTimeout(timer)
    socket?.close(1000)
  }
}

/** Where a line stands, for whoever wants to go on behind it. */
export function positionOf({ timestamp, seq }: LogLine): string {
  return seq === undefined ? timestamp : `${timestamp}#${seq}`
}
