import { useEffect, useRef, useState } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { choose, type Pick, useChoices } from './choices.store.ts'
import { servicesOf, usualServices } from './services.ts'

/**
 * Chooses what a person most likely came for, where they have not chosen yet. True while there is nothing to choose
 * from, because no machine can be asked: it is looked again when one is back.
 */
export function useUsualPicks(view: string, machines: readonly MachineView[]): boolean {
  const [unknown, setUnknown] = useState(false)
  const asked = machines.map((machine) => `${machine.id} ${isUp(machine)}`).join('\n')
  const latest = useRef(machines)
  latest.current = machines
  const chosen = useChoices((state) => state.views[view]?.picks !== undefined)
  useEffect(() => {
    // Of the machines as they are at this moment; when one comes or goes, it is asked anew.
    if (chosen || asked === '') return
    let over = false
    const find = async () => {
      const picks = (await Promise.all(latest.current.map(usualPicks))).flat()
      if (over) return
      setUnknown(picks.length === 0)
      if (picks.length > 0) choose(view, { picks })
    }
    void find()
    return () => {
      over = true
    }
  }, [view, asked, chosen])
  return unknown && !chosen
}

async function usualPicks(machine: MachineView): Promise<Pick[]> {
  const services = await servicesOf(machine.id, isUp(machine))
  return usualServices(services).map((service) => ({ machineId: machine.id, service }))
}
