import { SearchX } from 'lucide-react'
import { memo, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { useApp } from '../../app/app.store.ts'
import { go } from '../../app/route.ts'
import { openMachineWindow } from '../../app/windows.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { keepShown } from '../../ui/selection.ts'
import { Table } from '../../ui/Table.tsx'
import { useWide } from '../../ui/useWide.ts'
import { DeployBanner } from '../deploys/DeployBanner.tsx'
import { damagedInPart } from '../firstrun/damaged.ts'
import { FirstRun } from '../firstrun/FirstRun.tsx'
import { LocalOffer } from '../firstrun/LocalOffer.tsx'
import { useLocalStart } from '../firstrun/local.store.ts'
import { FleetRequests } from '../takeovers/FleetRequests.tsx'
import { fleetColumns } from './columns.tsx'
import { FleetMap } from './FleetMap.tsx'
import { FleetTools } from './FleetTools.tsx'
import { reloadFleet, useFleet } from './fleet.store.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { SummaryCards } from './SummaryCards.tsx'
import { type Group, selectRows } from './summary.ts'
import { type FleetViewState, select, showAll, sortBy, useFleetView } from './view.store.ts'

/** Every machine, what it does and who drives it. */
export function FleetScreen() {
  const status = useFleet((state) => state.status)
  const empty = useFleet((state) => Object.keys(state.machines).length === 0)
  const onlyLocal = useFleet((state) => Object.values(state.machines).every(({ tunnel }) => tunnel.kind === 'local'))
  const start = useLocalStart((state) => state.start)
  if (status.phase === 'failed' && empty)
    return (
      <EmptyState
        title="The fleet could not be read"
        text={<ErrorText problem={status.problem} />}
        action={
          <Button variant="primary" onClick={() => void reloadFleet()}>
            Try again
          </Button>
        }
      />
    )
  // The list is local to this computer: it comes within a moment, so nothing turns meanwhile.
  if (status.phase === 'loading' && empty) return <div role="status" aria-label="Reading the fleet" />
  // The machine exists as soon as its start begins: the screen stays until that has ended.
  const firstStart = onlyLocal && (start.phase === 'failed' || (start.phase === 'starting' && start.watched))
  return empty || firstStart ? <FirstRun /> : <Machines />
}

function Machines() {
  // News of a thousand machines wait for what a person does.
  const machines = useDeferredValue(useFleet((state) => state.machines))
  const group = useFleetView((state) => state.group)
  const form = useFleetView((state) => state.form)
  const setAside = useApp((state) => (state.info?.setAside?.inThisRun ? state.info.setAside.file : null))
  const selected = useFleetView((state) => state.selected)
  // A letter, a filter, an order: what was pressed answers at once, a thousand machines follow when there is time.
  const wanted = useDeferredValue(useFleetView(useShallow(wantedOf)))
  const all = useMemo(() => Object.values(machines), [machines])
  const rows = useMemo(() => selectRows(all, wanted), [all, wanted])
  // A machine that was removed is not selected any more.
  useEffect(() => {
    const kept = keepShown(selected, (id) => machines[id] !== undefined)
    if (kept !== selected) select(kept)
  }, [machines, selected])
  const hidden = useMemo(() => {
    if (selected.size === 0) return 0
    const shown = new Set(rows.map(({ id }) => id))
    return [...selected].filter((id) => !shown.has(id)).length
  }, [rows, selected])
  return (
    <>
      {setAside !== null && <ErrorText problem={damagedInPart(setAside)} />}
      <SummaryCards machines={all} chosen={group} onChoose={chooseGroup} />
      <FleetRequests />
      <DeployBanner />
      <LocalOffer />
      <FleetTools machines={all} shown={rows.length} />
      {selected.size > 0 && <SelectionBar count={selected.size} hidden={hidden} />}
      {form === 'map' && rows.length > 0 && (
        <FleetMap rows={rows} selected={selected} onSelect={select} onOpen={openMachine} />
      )}
      {form === 'map' && rows.length === 0 && <NoMatch />}
      {form === 'table' && <FleetTable rows={rows} />}
    </>
  )
}

function openMachine(machine: MachineView, aside: boolean): void {
  if (aside) openMachineWindow(machine.id)
  else go({ screen: 'machine', machineId: machine.id, tab: 'live' })
}

/** Apart, so that it is drawn anew for other rows and not for every letter. */
const FleetTable = memo(function FleetTable({ rows }: { rows: readonly MachineView[] }) {
  const sort = useFleetView((state) => state.sort)
  const selected = useFleetView((state) => state.selected)
  const [menuOf, setMenuOf] = useState<string | null>(null)
  const [wide, full] = [useWide(1180), useWide(1320)]
  const room = full ? 'full' : wide ? 'wide' : 'narrow'
  const columns = useMemo(() => {
    const onMenu = (machineId: string | null) => {
      setMenuOf(machineId)
      // The button that had the focus goes with its menu.
      if (machineId === null) document.querySelector<HTMLElement>('[data-testid="fleet-table"]')?.focus()
    }
    return fleetColumns({ room, menuOf, onMenu })
  }, [room, menuOf])
  return (
    <Table
      label="Machines"
      testId="fleet-table"
      columns={columns}
      rows={rows}
      rowId={idOf}
      marked={isMine}
      sort={sort}
      onSort={sortBy}
      onOpen={openMachine}
      onMenu={(machine) => setMenuOf(machine.id)}
      kept={menuOf}
      selected={selected}
      onSelect={select}
      empty={<NoMatch />}
    />
  )
})

const wantedOf = ({ query, group, chosen, sort }: FleetViewState) => ({ query, group, chosen, sort })
const idOf = (machine: MachineView) => machine.id
const chooseGroup = (group: Group | null) => useFleetView.setState({ group })
const isMine = (machine: MachineView) => machine.lease?.mine === true

function NoMatch() {
  const query = useFleetView((state) => state.query)
  return (
    <EmptyState
      icon={<SearchX size={26} aria-hidden />}
      title="No machine matches"
      text={
        <>
          {query === '' ? 'Nothing here is like that.' : 'Nothing here is called that.'}{' '}
          <Kbd keys={keysOf('palette') ?? ''} /> searches everything.
        </>
      }
      action={<Button onClick={showAll}>Show all machines</Button>}
    />
  )
}
