import type { ServerSocket } from '../server/handlers.ts'
import type { OpenPages } from './open-pages.ts'

/** Beyond this a client reads too slowly: what happens meanwhile is counted instead of kept. */
const maxBufferedBytes = 1024 * 1024

/** Sends a client what happens on the pages, as it happens; returns what ends it. */
export function sendPageEvents(pages: OpenPages, socket: ServerSocket<'watch'>): () => void {
  let dropped = 0
  return pages.events.on((event) => {
    if (socket.bufferedBytes > maxBufferedBytes) {
      dropped++
      return
    }
    if (dropped > 0) socket.send({ type: 'dropped', count: dropped })
    dropped = 0
    socket.send(event)
  })
}
