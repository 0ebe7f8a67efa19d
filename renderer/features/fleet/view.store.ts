import { create } from 'zustand'
import type { Sort } from '../../ui/Table.tsx'
import { type Chosen, type FilterName, nothingChosen, readChosen } from './filters.ts'
import { type FleetColumn, type Group, groups, sortableColumns } from './summary.ts'

export interface FleetViewState {
  query: string
  group: Group | null
  chosen: Chosen
  sort: Sort<FleetColumn> | null
  form: 'table' | 'map'
  selected: ReadonlySet<string>
}

const storageKey = 'pilothouse.fleet'
const none: ReadonlySet<string> = new Set()

/** How this person looks at the fleet. What narrows it stays for the next time, what is typed and selected does not. */
export const useFleetView = create<FleetViewState>(() => ({
  query: '',
  group: null,
  chosen: nothingChosen,
  sort: null,
  form: 'table',
  selected: none,
}))

/** What an earlier window kept, as far as this one understands it. */
export function parseView(text: string | null): Pick<FleetViewState, 'chosen' | 'sort' | 'form' | 'group'> {
  let kept: Record<string, unknown> = {}
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    if (typeof value === 'object' && value !== null) kept = value as Record<string, unknown>
  } catch {
    // Another program's text: begin anew.
  }
  const sort = kept['sort'] as Sort<FleetColumn> | null | undefined
  const group = kept['group']
  return {
    chosen: readChosen(kept['chosen']),
    sort:
      sort != null && sortableColumns.includes(sort.key)
        ? { key: sort.key, descending: sort.descending === true }
        : null,
    form: kept['form'] === 'map' ? 'map' : 'table',
    group: typeof group === 'string' && Object.hasOwn(groups, group) ? (group as Group) : null,
  }
}

/** Reads what was kept and keeps what changes; returns the way to stop. */
export function startFleetView(): () => void {
  useFleetView.setState(parseView(localStorage.getItem(storageKey)))
  return useFleetView.subscribe(({ chosen, sort, form, group }, before) => {
    if (chosen === before.chosen && sort === before.sort && form === before.form && group === before.group) return
    localStorage.setItem(storageKey, JSON.stringify({ chosen, sort, form, group }))
  })
}

export function choose(name: FilterName, values: readonly string[]): void {
  useFleetView.setState(({ chosen }) => ({ chosen: { ...chosen, [name]: values } }))
}

export function showAll(): void {
  useFleetView.setState({ query: '', group: null, chosen: nothingChosen })
}

/** Ascending, descending, then by attention again. */
export function sortBy(key: FleetColumn): void {
  const { sort } = useFleetView.getState()
  if (sort?.key !== key) useFleetView.setState({ sort: { key, descending: false } })
  else useFleetView.setState({ sort: sort.descending ? null : { key, descending: true } })
}

export const select = (selected: ReadonlySet<string>) => useFleetView.setState({ selected })
export const selectNone = () => select(none)
export const showAs = (form: FleetViewState['form']) => useFleetView.setState({ form })
