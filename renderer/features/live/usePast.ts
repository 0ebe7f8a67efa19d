import { useEffect, useState } from 'react'
import type { TimelineEntry } from '../../../shared/contract/timeline.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, callAgent } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'
import { toldKinds } from './past.ts'

interface Past {
  entries: readonly TimelineEntry[]
  /** When it was asked for, by the machine's clock where it answered. */
  until: string
}

/** What a machine kept of the time before this window listened; null while it is being asked for. */
export function usePast(machine: MachineView): Past | null {
  const [past, setPast] = useState<Past | null>(null)
  const machineId = machine.id
  const reachable = isReachable(machine)
  useEffect(() => {
    let gone = false
    const ask = async (): Promise<Past> => {
      if (reachable) {
        const answer = await callAgent(machineId, 'timeline.list', { kinds: toldKinds, limit: 60 }).catch(() => null)
        if (answer !== null) return { entries: answer.entries, until: answer.now }
      }
      // What main heard or kept of it: for a machine that cannot be asked, or an agent that keeps nothing.
      const { entries } = await call('timeline.known', { machineId }).catch(() => ({ entries: [] }))
      const told = new Set(toldKinds.split(','))
      return { entries: entries.filter(({ kind }) => told.has(kind)), until: new Date().toISOString() }
    }
    void ask().then((found) => !gone && setPast(found))
    return () => {
      gone = true
    }
  }, [machineId, reachable])
  return past
}
