import { create } from 'zustand'
import { formatMoment } from './row.ts'

type NamedSince = 'lines:200' | 'lines:1000' | 'lines:5000' | 'ago:15' | 'ago:60' | 'ago:360' | 'ago:1440'
/** How far back a view begins: so many last lines of each service, everything since a time before now, or a moment. */
export type Since = NamedSince | `at:${number}`

const sinceNames: Readonly<Record<NamedSince, string>> = {
  'lines:200': 'Last 200 lines',
  'lines:1000': 'Last 1,000 lines',
  'lines:5000': 'Last 5,000 lines',
  'ago:15': 'Since 15 min ago',
  'ago:60': 'Since 1 h ago',
  'ago:360': 'Since 6 h ago',
  'ago:1440': 'Since 24 h ago',
}

/** What can be chosen; a moment is among it when it is what was chosen. */
export function sinceOptions(chosen: Since): Readonly<Record<Since, string>> {
  const moment = momentOf(chosen, 0)
  if (moment === undefined || !chosen.startsWith('at:')) return sinceNames
  return { ...sinceNames, [chosen]: `Since ${formatMoment(moment, true).slice(0, -':00.000'.length)}` }
}

/** The shortest beginning that has a moment in it, and what led to it. */
export function sinceFor(time: number, now: number): Since {
  const minutes = (now - time) / 60_000
  if (minutes < 14) return 'ago:15'
  if (minutes < 58) return 'ago:60'
  if (minutes < 355) return 'ago:360'
  return minutes < 1435 ? 'ago:1440' : `at:${Math.max(0, Math.floor(time) - 10 * 60_000)}`
}

/** When it begins; undefined where that depends on the lines. */
export function momentOf(since: Since, now: number): number | undefined {
  const [kind, amount] = since.split(':')
  if (kind === 'lines') return undefined
  return kind === 'at' ? Number(amount) : now - Number(amount) * 60_000
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
