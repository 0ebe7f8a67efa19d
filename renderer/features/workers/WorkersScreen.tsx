import { useMemo } from 'react'
import { go } from '../../app/route.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { isReachable } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { noWorkersIcon, WorkersTable } from './WorkersTable.tsx'
import { rowsOf, useWorkers } from './workers.store.ts'

/** Every worker of the fleet. */
export function WorkersScreen() {
  const machines = useFleet((state) => state.machines)
  const known = useWorkers((state) => state.known)
  const all = useMemo(
    () => Object.values(machines).toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
    [machines],
  )
  const rows = useMemo(() => rowsOf(all, known), [all, known])
  const silent = all.filter((machine) => (known[machine.id]?.workers.length ?? 0) > 0 && !isReachable(machine)).length
  const onMachines = new Set(rows.map(({ machine }) => machine.id)).size
  return (
    <div className={tab.tab} data-testid="workers-screen">
      <WorkersTable
        fleet
        label="Workers of the fleet"
        rows={rows}
        onOpen={(row) => go({ screen: 'machine', machineId: row.machine.id, tab: 'workers' })}
        end={
          rows.length > 0 && (
            <span className={tab.fresh} data-old={silent > 0 ? '' : undefined}>
              {rows.length === 1 ? '1 worker' : `${rows.length} workers`} on{' '}
              {onMachines === 1 ? '1 machine' : `${onMachines} machines`}
              {silent > 0 && ` · ${silent === 1 ? '1 machine is' : `${silent} machines are`} silent: last known`}
            </span>
          )
        }
        empty={
          <EmptyState
            icon={noWorkersIcon}
            title="No workers in the fleet"
            text="Workers come with the first deploy to a machine that has Docker."
            action={<Button onClick={() => go({ screen: 'fleet' })}>Go to Fleet</Button>}
          />
        }
      />
    </div>
  )
}
