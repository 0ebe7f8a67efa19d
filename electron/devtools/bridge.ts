import type { AgentSocket } from '../../shared/client/socket.ts'
import { parseJson } from '../../shared/contract/wire.ts'
import type { PortStream } from '../../shared/stream.ts'

/** A command of the front end; scripts that it puts into the page are among them. */
const maxCommandBytes = 4 * 1024 * 1024
const maxCommandDepth = 256

/** The protocol both ways, message by message; the front end is ours, and what it sends is looked at all the same. */
export function bridge(
  stream: PortStream,
  socket: Pick<AgentSocket<'cdpPage'>, 'send' | 'close' | 'pause' | 'resume' | 'onMessage' | 'onClose'>,
  onEnd: (reason: string) => void,
): void {
  socket.onMessage = (message) => {
    if (!stream.sendText(JSON.stringify(message))) socket.pause()
  }
  socket.onClose = (code, reason) => {
    stream.close(code, reason)
    onEnd(reason)
  }
  stream.onDrain = () => socket.resume()
  stream.onBytes = () => stream.close(1003, 'the protocol is text')
  stream.onText = (text) => {
    if (text.length > maxCommandBytes) return stream.close(1009, 'that command is too large')
    const command = readCommand(text)
    if (command === undefined) return stream.close(1007, 'that is not a command')
    socket.send(command)
  }
  stream.onClose = () => {
    socket.resume()
    socket.close()
  }
}

function readCommand(text: string): Record<string, unknown> | undefined {
  try {
    const command = parseJson(text, maxCommandDepth)
    const isCommand = typeof command === 'object' && command !== null && 'id' in command && 'method' in command
    return isCommand ? (command as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
