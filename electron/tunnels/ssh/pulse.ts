import type { Duplex } from 'node:stream'

export interface PulseOptions {
  /** Without a byte for so long, a sign of life is asked for. */
  everyMs: number
  /** So many times in a row without one, and the connection counts as dead. */
  misses: number
  ask: () => void
  onDead: () => void
}

/**
 * Watches whether bytes still pass. Any byte counts, not only the answer to a question: on a slow link that answer
 * waits behind everything that was sent before it. Turns of the timer are counted instead of time: a laptop that
 * slept has missed nothing yet.
 * @returns The way to stop.
 */
export function watchPulse(stream: Duplex, { everyMs, misses, ask, onDead }: PulseOptions): () => void {
  let heard = true
  let missed = 0
  let waitingBytes = 0
  const hear = () => {
    heard = true
  }
  stream.on('data', hear)
  const timer = setInterval(() => {
    // What left a full buffer was taken by the other side; what fits into one may lie there for ever.
    const waiting = stream.writableLength
    const passed = waitingBytes > 0 && waiting < waitingBytes
    waitingBytes = waiting
    if (heard || passed) {
      heard = false
      missed = 0
      return
    }
    if (++missed > misses) {
      stop()
      onDead()
    } else ask()
  }, everyMs)
  const stop = () => {
    clearInterval(timer)
    stream.off('data', hear)
  }
  return stop
}
