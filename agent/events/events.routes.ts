import { contractVersion } from '../../shared/contract/index.ts'
import type { MetricsService } from '../metrics/metrics.service.ts'
import { answer } from '../server/answer.ts'
import type { ServerSocket, SocketHandlers } from '../server/handlers.ts'
import type { EventLog, StoredEvent } from './events.service.ts'
import { MetricsTicks } from './metrics-ticks.ts'

/** A reader this far behind is cut off; it reconnects with `since` and misses nothing that is kept. */
const slowReaderBytes = 4 * 1024 * 1024

export function eventsSocket(
  events: EventLog,
  agentId: string,
  metrics: Pick<MetricsService, 'read'>,
): Pick<SocketHandlers, 'events'> {
  return {
    events: (params) => (socket) => {
      const { lastSeq, oldestSeq } = events
      const since = params.since ?? lastSeq
      // A client ahead of us has seen numbers that a lost disk took back: to it, that is a gap as well.
      const gap = since + 1 < oldestSeq || since > lastSeq
      const time = new Date().toISOString()
      socket.send({ type: 'hello', seq: lastSeq, oldestSeq, agentId, agentVersion: contractVersion, gap, time })
      const ticks = new MetricsTicks(metrics, (load) => {
        // Load that is not read is not worth keeping: the next tick has newer.
        if (socket.bufferedBytes === 0) socket.send({ type: 'metrics', time: new Date().toISOString(), metrics: load })
      })
      socket.onMessage = (message) => {
        if (message.type === 'metrics') ticks.every(message.everyMs)
        else answer(socket, { type: 'pong' })
      }
      const stopFollowing = follow(events, socket, gap && since > lastSeq ? lastSeq : since)
      socket.onClose = () => {
        ticks.every(0)
        stopFollowing()
      }
    },
  }
}

/** Replays what is stored, then goes over to what happens, without a number lost or doubled between. */
function follow(events: EventLog, socket: ServerSocket<'events'>, since: number): () => void {
  let sent = since
  const send = (event: StoredEvent) => {
    if (event.seq <= sent) return
    sent = event.seq
    socket.send(event)
    if (socket.bufferedBytes > slowReaderBytes) socket.close(1013, 'reading too slowly; reconnect with since')
  }
  for (let batch = events.after(sent); batch.length > 0; batch = events.after(sent)) {
    for (const event of batch) send(event)
    if (socket.bufferedBytes > slowReaderBytes) break
  }
  return events.subscribe(send)
}
