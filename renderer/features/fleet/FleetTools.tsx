import { LayoutGrid, List, Plus, Search } from 'lucide-react'
import { memo } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { keysOf } from '../../app/actions.ts'
import { show } from '../../app/ui.store.ts'
import { Button } from '../../ui/Button.tsx'
import { Input } from '../../ui/Field.tsx'
import { FilterChip } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useWide } from '../../ui/useWide.ts'
import styles from './Fleet.module.css'
import { type Chosen, countOptions, filterNames, filters, isNarrowed } from './filters.ts'
import { groups } from './summary.ts'
import { choose, showAll, showAs, useFleetView } from './view.store.ts'

const plus = <Plus size={15} aria-hidden />
const addMachine = () => show('add-machine')

/** Search, filters, the order, and the form in which the machines are shown. */
export function FleetTools({ machines, shown }: { machines: readonly MachineView[]; shown: number }) {
  const { query, group, chosen, sort, form } = useFleetView()
  const wide = useWide(1180)
  const narrowed = query !== '' || group !== null || isNarrowed(chosen)
  return (
    <div className={styles.tools}>
      <div className={styles.find}>
        <Search size={14} aria-hidden />
        <Input
          type="search"
          placeholder="Name, address, state"
          aria-label="Search the fleet"
          data-testid="fleet-search"
          value={query}
          onChange={(event) => useFleetView.setState({ query: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && query !== '') useFleetView.setState({ query: '' })
            else if (event.key === 'Escape') event.currentTarget.blur()
            else if (event.key === 'ArrowDown')
              document.querySelector<HTMLElement>('[data-testid="fleet-table"], [data-testid="fleet-map"]')?.focus()
          }}
        />
      </div>
      <Filters machines={machines} chosen={chosen} />
      <div className={styles.end}>
        <span className={styles.order} role="status">
          {narrowed ? (
            <>
              {shown} of {machines.length}
              {wide && group !== null && ` · ${groups[group].title.toLowerCase()}`} ·{' '}
              <button type="button" className={styles.clear} onClick={showAll}>
                Show all
              </button>
            </>
          ) : (
            wide && sort === null && 'sorted by attention'
          )}
        </span>
        <IconButton
          variant="default"
          label={form === 'map' ? 'Show as a table' : 'Show as a map'}
          icon={form === 'map' ? <List size={15} aria-hidden /> : <LayoutGrid size={15} aria-hidden />}
          keys={keysOf('fleet.map')}
          data-testid="fleet-form"
          onClick={() => showAs(form === 'map' ? 'table' : 'map')}
        />
        {wide ? (
          <Button variant="primary" icon={plus} data-testid="add-machine" onClick={addMachine}>
            Add a machine
          </Button>
        ) : (
          <IconButton
            variant="primary"
            label="Add a machine"
            icon={plus}
            data-testid="add-machine"
            onClick={addMachine}
          />
        )}
      </div>
    </div>
  )
}

/** Apart: a letter in the search changes nothing here. */
const Filters = memo(function Filters({ machines, chosen }: { machines: readonly MachineView[]; chosen: Chosen }) {
  return (
    <div className={styles.filters}>
      {filterNames.map((name) => (
        <FilterChip
          key={name}
          title={filters[name].title}
          options={filters[name].options}
          counts={() => countOptions(machines, chosen, name)}
          chosen={chosen[name]}
          testId={`filter-${name}`}
          onChange={(values) => choose(name, values)}
        />
      ))}
    </div>
  )
})
