import type { MachineView } from '../../shared/domain/machine.ts'
import { machineLook } from '../features/machine/look.ts'
import { fuzzyFilter } from '../ui/fuzzy.ts'
import type { DotLook } from '../ui/StateDot.tsx'
import type { ActionContext } from './action-kit.ts'
import { type Action, available } from './registry.ts'
import { go } from './route.ts'
import type { ScreenControl } from './screen-controls.ts'

export interface PaletteEntry {
  id: string
  group: string
  title: string
  aside: string
  keys: string | null
  look: DotLook | null
  run: () => void
}

/** Machines shown while nothing is typed: the rest are found by typing. */
const machinesUntyped = 6
const machinesTyped = 30
const controlsShown = 30

/** What the palette offers for a query: what can be done here, then where one can go. */
export function paletteEntries(
  query: string,
  actions: readonly Action<ActionContext>[],
  context: ActionContext,
  machines: readonly MachineView[],
  controls: readonly ScreenControl[] = [],
): PaletteEntry[] {
  const doable = available(actions, context)
    .filter((action) => action.id !== 'palette')
    .map<PaletteEntry>((action) => ({
      id: action.id,
      group: action.group,
      title: action.title(context),
      aside: '',
      keys: action.keys,
      look: null,
      run: () => action.run(context),
    }))
  const places = fuzzyFilter(
    query,
    machines,
    (machine) => `${machine.name} ${machine.hostname ?? ''} ${machine.address}`,
  )
    .slice(0, query.trim() === '' ? machinesUntyped : machinesTyped)
    .map<PaletteEntry>((machine) => ({
      id: `machine:${machine.id}`,
      group: 'Machines',
      title: machine.name,
      aside: `${machineLook(machine).word} · ${machine.environment} · ${machine.address}`,
      keys: null,
      look: machineLook(machine),
      run: () => go({ screen: 'machine', machineId: machine.id, tab: 'live' }),
    }))
  // Many, and seldom what is wanted: they come when something of their name is typed, behind the actions.
  const pressable = (query.trim() === '' ? [] : controls).map<PaletteEntry>((control) => ({
    ...{ ...control, group: 'On this screen', aside: '', keys: null, look: null },
  }))
  const onScreen = fuzzyFilter(query, pressable, (entry) => entry.title).slice(0, controlsShown)
  const found = fuzzyFilter(query, doable, (entry) => `${entry.title} ${entry.group}`)
  // One group after the other: a best match must not tear a group apart.
  const order = [...new Set(found.map((entry) => entry.group))]
  const grouped = order.flatMap((group) => found.filter((entry) => entry.group === group))
  return query.trim() === '' ? [...grouped, ...places] : [...places, ...grouped, ...onScreen]
}
