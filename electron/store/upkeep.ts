import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from './store.ts'

/** Not at the start: the window comes first. */
const firstMs = 60_000
const everyMs = 60 * 60_000
const transitionsKeptMs = 365 * 24 * 60 * 60_000

/** Thins what grows, now and then; returns the way to stop. */
export function startUpkeep(store: Pick<Store, 'metrics' | 'connection'>, clock: Clock, log: Log): () => void {
  let stopped = false
  const run = async () => {
    try {
      await store.metrics.thin(clock.now())
      const before = new Date(clock.now() - transitionsKeptMs).toISOString()
      if (store.connection.open) store.connection.prepare('DELETE FROM transitions WHERE at < ?').run(before)
    } catch (error) {
      if (!stopped) log('error', 'thinning the history failed', { error: String(error) })
    }
    if (!stopped) cancel = clock.after(everyMs, () => void run())
  }
  let cancel = clock.after(firstMs, () => void run())
  return () => {
    stopped = true
    cancel()
  }
}
