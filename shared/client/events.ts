import { type AgentEvent, events, type SocketSend } from '../contract/index.ts'
import type { Metrics } from '../contract/machine.ts'
import { Problem } from '../errors.ts'
import { backoff } from './backoff.ts'
import type { AgentClient } from './client.ts'
import type { AgentSocket } from './socket.ts'
import { unreachable } from './unreachable.ts'

const schemas = new Map(events.map((event) => [event.type as string, event.data]))

/** What an agent says of itself; `time` is its own clock's, which older agents keep to themselves. */
export interface Hello {
  seq: number
  agentId: string
  agentVersion: string
  gap: boolean
  time?: string
}

export interface EventHandlers {
  onEvent: (event: AgentEvent) => void
  /** Connected, with what the agent says of itself. `gap` means some events are gone for good. */
  onOpen?: (hello: Hello, send: (message: SocketSend<'events'>) => void) => void
  /** The load, where it was asked for with `send`. */
  onMetrics?: (metrics: Metrics) => void
  onDown?: (problem: Problem) => void
}

/**
 * The number to go on from. A first connection starts from now; and an agent that lost its disk, or a new one in its
 * place, counts from further below.
 */
export function lastHeard(last: number | undefined, { seq }: Pick<Hello, 'seq'>): number {
  return Math.min(last ?? seq, seq)
}

/**
 * Follows an agent's events for as long as wanted: reconnects by itself and resumes after the last event
 * it saw, so that none is missed and none comes twice. Returns the way to stop.
 */
export function followEvents(client: AgentClient, handlers: EventHandlers, since?: number): () => void {
  let stopped = false
  let last = since
  let socket: AgentSocket<'events'> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const delay = backoff()

  const again = (problem: Problem) => {
    if (stopped) return
    handlers.onDown?.(problem)
    // Whoever heard of it may have stopped just now.
    if (!stopped) timer = setTimeout(connect, delay.next())
  }

  const receive = (message: { type: string } & Record<string, unknown>) => {
    if (message.type === 'hello') {
      const hello = message as unknown as Hello
      delay.reset()
      last = lastHeard(last, hello)
      handlers.onOpen?.(hello, (wish) => socket?.send(wish))
      return
    }
    if (message.type === 'metrics') return handlers.onMetrics?.(message['metrics'] as Metrics)
    const seq = message['seq']
    if (typeof seq !== 'number' || (last !== undefined && seq <= last)) return
    last = seq
    const schema = schemas.get(message.type)
    const { seq: _seq, time, type, ...data } = message
    const checked = schema?.safeParse(data)
    // A type this console does not know comes from a newer agent and is passed over.
    if (checked?.success) handlers.onEvent({ seq, time, type, ...checked.data } as AgentEvent)
  }

  async function connect(): Promise<void> {
    try {
      const opened = await client.open('events', last === undefined ? {} : { since: last })
      if (stopped) return opened.close()
      socket = opened
      opened.onMessage = (message) => receive(message as { type: string } & Record<string, unknown>)
      opened.onClose = (code, reason) =>
        again(new Problem('unreachable', `The event stream ended (${code} ${reason}).`))
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
