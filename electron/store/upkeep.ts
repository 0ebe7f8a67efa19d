import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from './store.ts'

/** Not at the start: the window comes first. */
const firstMs = 60_000
const everyMs = 60 * 60_000
const dayMs = 24 * 60 * 60_000
const transitionsKeptMs = 365 * dayMs
/** A machine that is gone is history, and history ends: someone who wanted it back had a quarter of a year. */
export const deadKeptMs = 90 * dayMs

export interface UpkeepDeps {
  store: Pick<Store, 'metrics' | 'machines' | 'connection'>
  clock: Clock
  log: Log
  /** Takes a machine that has long been gone out of the fleet, and its secret out of the keychain. */
  forget: (machineId: string) => Promise<void>
}

/** Thins what grows, now and then; returns the way to stop. */
export function startUpkeep({ store, clock, log, forget }: UpkeepDeps): () => void {
  let stopped = false
  const run = async () => {
    try {
      await store.metrics.thin(clock.now())
      const before = (ms: number) => new Date(clock.now() - ms).toISOString()
      if (!store.connection.open) return
      store.connection.prepare('DELETE FROM transitions WHERE at < ?').run(before(transitionsKeptMs))
      for (const machine of store.machines.deadSince(before(deadKeptMs))) {
        await forget(machine)
        log('info', 'a machine that was gone for long was cleaned up', { machine })
      }
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
