import type { SocketName, SocketReceive } from '../../shared/contract/index.ts'
import type { ServerSocket } from './handlers.ts'

/** Who asks again and again and reads no answer makes the agent keep this much, and no more. */
const unreadBytes = 4 * 1024 * 1024

/** Answers what a client has sent; one that reads none of its answers is cut off. */
export function answer<Name extends SocketName>(
  socket: Pick<ServerSocket<Name>, 'send' | 'bufferedBytes' | 'close'>,
  message: SocketReceive<Name>,
): void {
  if (socket.bufferedBytes > unreadBytes) socket.close(1013, 'reading too slowly')
  else socket.send(message)
}
