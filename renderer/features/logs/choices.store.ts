import { create } from 'zustand'

/** How far back a view begins: so many last lines of each service, or everything since a time before now. */
export type Since = 'lines:200' | 'lines:1000' | 'lines:5000' | 'ago:15' | 'ago:60' | 'ago:360' | 'ago:1440'

export const sinceNames: Readonly<Record<Since, string>> = {
  'lines:200': 'Last 200 lines',
  'lines:1000': 'Last 1,000 lines',
  'lines:5000': 'Last 5,000 lines',
  'ago:15': 'Since 15 min ago',
  'ago:60': 'Since 1 h ago',
  'ago:360': 'Since 6 h ago',
  'ago:1440': 'Since 24 h ago',
}

/** The shortest beginning that has a moment in it. */
export function sinceFor(time: number, now: number): Since {
  const minutes = (now - time) / 60_000
  if (minutes < 14) return 'ago:15'
  if (minutes < 58) return 'ago:60'
  return minutes < 355 ? 'ago:360' : 'ago:1440'
}

/** One service of one machine. */
export interface Pick {
  machineId: string
  service: string
}

interface Choices {
  /** Undefined until it is known which services there are. */
  picks: readonly Pick[] | undefined
  since: Since
  wrap: boolean
}

const initial: Choices = { picks: undefined, since: 'lines:1000', wrap: false }

interface ChoicesState {
  views: Readonly<Record<string, Choices>>
}

/** What a person chose for each view of logs; it is found again on coming back. */
export const useChoices = create<ChoicesState>(() => ({ views: {} }))

export function useChoice(view: string): Choices {
  return useChoices((state) => state.views[view] ?? initial)
}

export function choose(view: string, changed: Partial<Choices>): void {
  useChoices.setState(({ views }) => ({ views: { ...views, [view]: { ...(views[view] ?? initial), ...changed } } }))
}

export const pickKey = ({ machineId, service }: Pick) => `${machineId} ${service}`
