import type { ConsoleAction } from '../../app/action-kit.ts'
import { show } from '../../app/ui.store.ts'
import { useFleet } from './fleet.store.ts'
import { compareSelected, drainSelected, openRunCommand, startSelected, stopSelected } from './operations.ts'
import { select, selectNone, showAll, showAs, useFleetView } from './view.store.ts'

const chosen = () => useFleetView.getState().selected.size
const onFleet: ConsoleAction['when'] = ({ route }) => route.screen === 'fleet'
const some: ConsoleAction['when'] = (context) => onFleet(context) && chosen() > 0
const these = () => (chosen() === 1 ? 'the selected machine' : `the ${chosen()} selected machines`)

/** What can be done on the fleet's own screen, to it as a whole and to what is selected there. */
export const fleetActions: readonly ConsoleAction[] = [
  {
    id: 'machine.add',
    title: () => 'Add a machine…',
    group: 'Fleet',
    keys: 'a',
    when: () => true,
    run: () => show('add-machine'),
  },
  {
    id: 'fleet.search',
    title: () => 'Search the fleet',
    group: 'Fleet',
    keys: '/',
    when: onFleet,
    run: () => document.querySelector<HTMLElement>('[data-testid="fleet-search"]')?.focus(),
  },
  {
    id: 'fleet.rows',
    title: () => 'Go to the list of machines',
    group: 'Fleet',
    keys: 'f l',
    when: onFleet,
    run: () => document.querySelector<HTMLElement>('[data-testid="fleet-table"], [data-testid="fleet-map"]')?.focus(),
  },
  {
    id: 'fleet.map',
    title: () => (useFleetView.getState().form === 'map' ? 'Show the fleet as a table' : 'Show the fleet as a map'),
    group: 'Fleet',
    keys: 'f m',
    when: onFleet,
    run: () => showAs(useFleetView.getState().form === 'map' ? 'table' : 'map'),
  },
  {
    id: 'fleet.show-all',
    title: () => 'Show all machines',
    group: 'Fleet',
    keys: 'f f',
    when: onFleet,
    run: showAll,
  },
  {
    id: 'fleet.select-all',
    title: () => 'Select every machine',
    group: 'Fleet',
    keys: 'f a',
    when: (context) => onFleet(context) && Object.keys(useFleet.getState().machines).length > 0,
    run: () => select(new Set(Object.keys(useFleet.getState().machines))),
  },
  {
    id: 'fleet.select-none',
    title: () => 'Select nothing',
    group: 'Fleet',
    keys: 'f c',
    when: some,
    run: selectNone,
  },
  {
    id: 'fleet.start',
    title: () => `Start ${these()}…`,
    group: 'Selected',
    keys: 'f s',
    when: some,
    run: () => startSelected(),
  },
  {
    id: 'fleet.stop',
    title: () => `Stop ${these()}…`,
    group: 'Selected',
    keys: 'f x',
    when: some,
    run: () => stopSelected(),
  },
  {
    id: 'fleet.drain',
    title: () => `Drain ${these()}…`,
    group: 'Selected',
    keys: 'f d',
    when: some,
    run: () => drainSelected(),
  },
  {
    id: 'fleet.compare-env',
    title: () => `Compare the variables of ${these()}…`,
    group: 'Selected',
    keys: 'f v',
    when: some,
    run: compareSelected,
  },
  {
    id: 'fleet.run',
    title: () => `Run a command on ${these()}…`,
    group: 'Selected',
    keys: 'f r',
    when: some,
    run: openRunCommand,
  },
]
