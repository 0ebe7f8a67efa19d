import { useEffect, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { IpcResult } from '../../../shared/ipc.ts'
import { call } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'
import { type Lines, linesOf, type Range, rangeMs, withNow } from './series.ts'

/** Main keeps a reading each half minute. */
const againMs = 30_000

export interface MetricsHistory {
  lines: Lines
  /** The span that is shown, in seconds. */
  from: number
  to: number
  loading: boolean
}

interface Loaded {
  history: IpcResult<'metrics.history'>
  from: number
  to: number
}

/** A machine's load over time: as this console has kept it, and as it comes in. */
export function useMetricsHistory(machine: MachineView, range: Range): MetricsHistory {
  const machineId = machine.id
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  useEffect(() => {
    let over = false
    const load = async () => {
      const to = Date.now()
      const from = to - rangeMs[range]
      const history = await call('metrics.history', { machineId, from, to }).catch(() => ({
        everyMs: 30_000,
        points: [],
      }))
      if (!over) setLoaded({ history, from, to })
    }
    void load()
    const timer = setInterval(() => void load(), againMs)
    return () => {
      over = true
      clearInterval(timer)
    }
  }, [machineId, range])
  const now = isReachable(machine) ? machine.metrics : null
  const [lines, setLines] = useState<Omit<MetricsHistory, 'loading'>>({
    lines: linesOf({ everyMs: 1, points: [] }),
    from: 0,
    to: 1,
  })
  // A reading that comes in moves the end of the lines; the rest stays as it was drawn.
  useEffect(() => {
    if (loaded === null) return
    const at = Date.now()
    const to = now === null ? loaded.to : at
    const history = withNow(loaded.history, now, at)
    setLines({ lines: linesOf(history), from: (to - (loaded.to - loaded.from)) / 1000, to: to / 1000 })
  }, [loaded, now])
  return { ...lines, loading: loaded === null }
}
