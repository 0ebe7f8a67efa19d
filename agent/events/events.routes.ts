import { contractVersion } from '../../shared/contract/index.ts'
import type { MetricsService } from '../metrics/metrics.service.ts'
import { answer } from '../server/answer.ts'
import type { ServerSocket, SocketHandlers } from '../server/handlers.ts'
import type { EventLog, StoredEvent } from './events.service.ts'
import { MetricsTicks } from './metrics-ticks.ts'

/** A reader this far behind is cut off; it reconnects with `since` and misses nothing that is kept. */
const slowReaderBytes = 4 * 1024 * 1024
/** A replay is longer than any reader is fast: so much of it is under way, and more when that has been read. */
const replayAheadBytes = 256 * 1024
const replayBatch = 100
const replayLookMs = 10

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

/** Replays what is stored, as fast as it is read, then goes over to what happens; no number is lost or doubled between. */
function follow(events: EventLog, socket: ServerSocket<'events'>, since: number): () => void {
  let sent = since
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  const send = (event: StoredEvent) => {
    sent = event.seq
    socket.send(event)
  }
  const live = (event: StoredEvent) => {
    if (event.seq <= sent) return
    send(event)
    if (socket.bufferedBytes > slowReaderBytes) cutOff()
  }
  const cutOff = () => socket.close(1013, 'reading too slowly; reconnect with since')
  const replay = () => {
    if (socket.bufferedBytes > replayAheadBytes) {
      timer = setTimeout(replay, replayLookMs)
      return
    }
    const batch = events.after(sent, replayBatch)
    const isFirst = timer === undefined
    const oldest = batch[0]?.seq ?? events.lastSeq
    // What was to come is no longer kept, or never was: who connects anew is told of the gap.
    if (!isFirst && oldest > sent + 1) return cutOff()
    for (const event of batch) send(event)
    if (batch.length === replayBatch) timer = setTimeout(replay)
    else unsubscribe = events.subscribe(live)
  }
  replay()
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
