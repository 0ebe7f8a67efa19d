import { create } from 'zustand'
import { type Filter, noFilter } from './lanes.ts'
import { upToNow, type View } from './scale.ts'

const hour = 3_600_000

export interface Choice {
  view: View
  /** The right edge stays at now. */
  following: boolean
  filter: Filter
  /** Key of the entry that is looked at. */
  selected: string | null
}

interface ChoicesState {
  machines: Readonly<Record<string, Choice>>
}

/** Where a person is in each machine's timeline: found again after a look at a source. */
export const useTimelineChoices = create<ChoicesState>(() => ({ machines: {} }))

export function choiceOf(machineId: string): Choice {
  const known = useTimelineChoices.getState().machines[machineId]
  return known ?? { view: upToNow(Date.now(), hour), following: true, filter: noFilter, selected: null }
}

export function choose(machineId: string, changed: Partial<Choice>): void {
  const next = { ...choiceOf(machineId), ...changed }
  useTimelineChoices.setState(({ machines }) => ({ machines: { ...machines, [machineId]: next } }))
}

/** What of this machine is chosen; kept from the first look on. */
export function useTimelineChoice(machineId: string): Choice {
  const known = useTimelineChoices((state) => state.machines[machineId])
  return known ?? choiceOf(machineId)
}
