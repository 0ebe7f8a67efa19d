import { useEffect, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'
import { rangeMs } from '../metrics/series.ts'

/** The agent keeps a day of it. */
export const spans = ['1h', '6h', '24h'] as const
export type Span = (typeof spans)[number]

/** So that a chart has some hundred points, whatever its span. */
const everyMs: Readonly<Record<Span, number>> = { '1h': 10_000, '6h': 60_000, '24h': 300_000 }
const againMs = 10_000

type History = CallResult<'machine.metricsHistory'>

export interface ContainerHistory {
  /** Null until the machine has answered. */
  history: Pick<History, 'everyMs' | 'containers'> | null
  /** The span that was asked for, in seconds. */
  from: number
  to: number
  problem: WireProblem | null
}

/** The load of all containers over time, as the machine kept it; asked anew while someone looks. */
export function useContainerHistory(machine: MachineView, span: Span): ContainerHistory {
  const [known, setKnown] = useState<ContainerHistory>({ history: null, from: 0, to: 1, problem: null })
  const reachable = isReachable(machine)
  const machineId = machine.id
  useEffect(() => {
    if (!reachable) return
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const to = Date.now()
      const from = to - rangeMs[span]
      const asked = { from: new Date(from).toISOString(), everyMs: everyMs[span] }
      const answer = await callAgent(machineId, 'machine.metricsHistory', asked).then(
        (history) => ({ history, problem: null }),
        (error: unknown) => ({ problem: problemOf(error) }),
      )
      if (over) return
      setKnown((before) => ({ ...before, ...answer, from: from / 1000, to: to / 1000 }))
      timer = setTimeout(() => void look(), againMs)
    }
    void look()
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [machineId, reachable, span])
  return known
}
