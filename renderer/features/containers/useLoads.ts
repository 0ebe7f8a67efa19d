import { useEffect, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent } from '../../app/bridge.ts'
import { isReachable } from '../machine/reach.ts'

export type Load = CallResult<'containers.stats'>[number]

/** Between two looks; the share of the CPU is counted between them. */
const everyMs = 4000

/** What each container takes now, by id, while someone looks. An agent that cannot say leaves it empty. */
export function useLoads(machine: MachineView): Readonly<Record<string, Load>> {
  const [loads, setLoads] = useState<Readonly<Record<string, Load>>>({})
  const reachable = isReachable(machine)
  const machineId = machine.id
  useEffect(() => {
    if (!reachable) return setLoads({})
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      if (document.visibilityState === 'visible') {
        const found = await callAgent(machineId, 'containers.stats', {}).catch(() => [])
        if (over) return
        setLoads(Object.fromEntries(found.map((load) => [load.id, load])))
      }
      timer = setTimeout(() => void look(), everyMs)
    }
    void look()
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [machineId, reachable])
  return loads
}
