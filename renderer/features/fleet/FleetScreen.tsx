import { Plus, Search, SearchX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { keysOf } from '../../app/actions.ts'
import { go } from '../../app/route.ts'
import { show } from '../../app/ui.store.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Input } from '../../ui/Field.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { type Sort, Table } from '../../ui/Table.tsx'
import { useWide } from '../../ui/useWide.ts'
import { FirstRun } from '../firstrun/FirstRun.tsx'
import { LocalOffer } from '../firstrun/LocalOffer.tsx'
import { useLocalStart } from '../firstrun/local.store.ts'
import { fleetColumns } from './columns.tsx'
import styles from './Fleet.module.css'
import { reloadFleet, useFleet } from './fleet.store.ts'
import { SummaryCards } from './SummaryCards.tsx'
import { type FleetColumn, type Group, groups, selectRows } from './summary.ts'

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
  const machines = useFleet((state) => state.machines)
  const [query, setQuery] = useState('')
  const [group, setGroup] = useState<Group | null>(null)
  const [sort, setSort] = useState<Sort<FleetColumn> | null>(null)
  const [menuOf, setMenuOf] = useState<string | null>(null)
  const wide = useWide(1180)
  const all = useMemo(() => Object.values(machines), [machines])
  const rows = useMemo(() => selectRows(all, query, group, sort), [all, query, group, sort])
  const columns = useMemo(() => {
    const onMenu = (machineId: string | null) => {
      setMenuOf(machineId)
      // The button that had the focus goes with its menu.
      if (machineId === null) document.querySelector<HTMLElement>('[data-testid="fleet-table"]')?.focus()
    }
    return fleetColumns({ wide, menuOf, onMenu })
  }, [wide, menuOf])

  const sortBy = (key: FleetColumn) => {
    if (sort?.key !== key) setSort({ key, descending: false })
    else if (!sort.descending) setSort({ key, descending: true })
    else setSort(null)
  }
  const clear = () => {
    setQuery('')
    setGroup(null)
  }

  return (
    <>
      <SummaryCards machines={all} chosen={group} onChoose={setGroup} />
      <LocalOffer />
      <div className={styles.tools}>
        <div className={styles.find}>
          <Search size={14} aria-hidden />
          <Input
            type="search"
            placeholder="Name, address, state"
            aria-label="Search the fleet"
            data-testid="fleet-search"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && query !== '') setQuery('')
              else if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
        </div>
        {(query !== '' || group !== null) && (
          <span className={styles.order}>
            {rows.length} of {all.length}
            {group !== null && ` · ${groups[group].title.toLowerCase()}`} ·{' '}
            <button type="button" className={styles.clear} onClick={clear}>
              Show all
            </button>
          </span>
        )}
        <span className={query !== '' || group !== null ? undefined : styles.order}>
          {sort === null && query === '' && group === null && 'sorted by attention'}
        </span>
        <Button
          variant="primary"
          icon={<Plus size={15} aria-hidden />}
          data-testid="add-machine"
          onClick={() => show('add-machine')}
        >
          Add a machine
        </Button>
      </div>
      <Table
        label="Machines"
        testId="fleet-table"
        columns={columns}
        rows={rows}
        rowId={(machine) => machine.id}
        marked={(machine) => machine.lease?.mine === true}
        sort={sort}
        onSort={sortBy}
        onOpen={(machine) => go({ screen: 'machine', machineId: machine.id, tab: 'live' })}
        onMenu={(machine) => setMenuOf(machine.id)}
        empty={
          <EmptyState
            icon={<SearchX size={26} aria-hidden />}
            title="No machine matches"
            text={
              <>
                Nothing here is called that. <Kbd keys={keysOf('palette') ?? ''} /> searches everything.
              </>
            }
            action={<Button onClick={clear}>Show all machines</Button>}
          />
        }
      />
    </>
  )
}
