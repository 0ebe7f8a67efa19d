import { useEffect, useRef, useState } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { choose, type Pick, useChoices } from './choices.store.ts'
import { servicesOf, usualServices } from './services.ts'

const againMs = 2000

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
    let again: ReturnType<typeof setTimeout> | undefined
    const find = async () => {
      const picks = (await Promise.all(latest.current.map(usualPicks))).flat()
      if (over) return
      setUnknown(picks.length === 0)
      if (picks.length > 0) choose(view, { picks })
      // It counts as there and did not answer: whether it is away, or will answer, is known in a moment.
      else if (latest.current.some(isUp)) again = setTimeout(find, againMs)
    }
    void find()
    return () => {
      over = true
      clearTimeout(again)
    }
  }, [view, asked, chosen])
  return unknown && !chosen
}

async function usualPicks(machine: MachineView): Promise<Pick[]> {
  const services = await servicesOf(machine.id, isUp(machine))
  return usualServices(services).map((service) => ({ machineId: machine.id, service }))
}
