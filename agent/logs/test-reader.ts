import type { AgentClient } from '../../shared/client/client.ts'
import type { AgentSocket } from '../../shared/client/socket.ts'
import type { SocketReceive, SocketSend } from '../../shared/contract/index.ts'
import type { LogLine } from '../../shared/contract/logs.ts'

type Subscribe = Extract<SocketSend<'logs'>, { type: 'subscribe' }>

/** A client of `/ws/logs` for tests: keeps what it was sent. */
export interface TestReader {
  socket: AgentSocket<'logs'>
  messages: SocketReceive<'logs'>[]
  lines: LogLine[]
  notices: string[]
  errors: string[]
  dropped: number
  /** Where this reader would resume. */
  position(): string | undefined
}

export async function openReader(client: AgentClient, subscribe?: Omit<Subscribe, 'type'>): Promise<TestReader> {
  const socket = await client.open('logs')
  const reader: TestReader = {
    socket,
    messages: [],
    lines: [],
    notices: [],
    errors: [],
    dropped: 0,
    position: () => {
      const last = reader.lines.at(-1)
      return last === undefined ? undefined : `${last.timestamp}#${last.seq}`
    },
  }
  socket.onMessage = (message) => {
    reader.messages.push(message)
    if (message.type === 'log') {
      const { type: _type, dropped: _dropped, ...line } = message
      reader.lines.push(line)
    }
    if (message.type === 'logs') for (const line of message.lines) reader.lines.push(line)
    if (message.type === 'notice') reader.notices.push(message.message)
    if (message.type === 'error') reader.errors.push(message.message)
    if ('dropped' in message) reader.dropped += message.dropped ?? 0
  }
  if (subscribe !== undefined) socket.send({ type: 'subscribe', ...subscribe })
  return reader
}
