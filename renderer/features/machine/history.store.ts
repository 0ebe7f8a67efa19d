import { create } from 'zustand'
import type { Metrics } from '../../../shared/contract/machine.ts'
import { onIpcEvent } from '../../app/bridge.ts'

/** Values kept per machine: a few minutes at the rate at which main hears them. */
const kept = 60

interface HistoryState {
  metrics: Readonly<Record<string, readonly Metrics[]>>
}

/** The load of each machine as seen since this window opened. */
export const useHistory = create<HistoryState>(() => ({ metrics: {} }))

/** The values after one more; the same reading, heard twice, counts once. */
export function appendReading(readings: readonly Metrics[], reading: Metrics): readonly Metrics[] {
  if (JSON.stringify(readings.at(-1)) === JSON.stringify(reading)) return readings
  return [...readings.slice(-(kept - 1)), reading]
}

/** Collects what passes by; returns the way to stop. */
export function startHistory(): () => void {
  return onIpcEvent('fleet.changed', ({ changed, removed }) => {
    const { metrics } = useHistory.getState()
    const next = { ...metrics }
    for (const { id, metrics: reading } of changed) {
      if (reading !== null) next[id] = appendReading(next[id] ?? [], reading)
    }
    for (const id of removed) delete next[id]
    useHistory.setState({ metrics: next })
  })
}
