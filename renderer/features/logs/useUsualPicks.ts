import { useEffect, useRef } from 'react'
import { isUp } from '../../../shared/domain/lifecycle.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { choose, type Pick, useChoices } from './choices.store.ts'
import { servicesOf, usualServices } from './services.ts'

/** Chooses what a person most likely came for, where they have not chosen yet. */
export function useUsualPicks(view: string, machines: readonly MachineView[]): void {
  const chosen = useRef('')
  const ids = machines.map(({ id }) => id).join(' ')
  const latest = useRef(machines)
  latest.current = machines
  useEffect(() => {
    const key = `${view} ${ids}`
    if (chosen.current === key || useChoices.getState().views[view]?.picks !== undefined) return
    chosen.current = key
    const find = async () => {
      const picks = await Promise.all(
        latest.current.map(async (machine): Promise<Pick[]> => {
          const { id } = machine
          const services = await servicesOf(id, isUp(machine))
          return usualServices(services).map((service) => ({ machineId: id, service }))
        }),
      )
      if (useChoices.getState().views[view]?.picks === undefined) choose(view, { picks: picks.flat() })
    }
    void find()
  }, [view, ids])
}
