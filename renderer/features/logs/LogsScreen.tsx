import { ScrollText } from 'lucide-react'
import { useMemo } from 'react'
import { go } from '../../app/route.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { LogsPanel } from './LogsPanel.tsx'

/** Machines whose services are offered at once; streams are opened only for those that are chosen. */
const maxMachines = 50

/** The logs of several machines in one list by time. */
export function LogsScreen({ machineIds }: { machineIds: readonly string[] }) {
  const machines = useFleet((state) => state.machines)
  const loading = useFleet((state) => state.status.phase === 'loading')
  const key = machineIds.join(' ')
  const shown = useMemo(() => {
    const all = key === '' ? Object.values(machines) : key.split(' ').flatMap((id) => machines[id] ?? [])
    return all.slice(0, maxMachines)
  }, [machines, key])
  if (shown.length === 0) {
    if (loading) return null
    return (
      <EmptyState
        icon={<ScrollText size={26} aria-hidden />}
        title="There is no machine whose logs could be shown"
        text="Add a machine, or choose some in the fleet."
        action={
          <Button variant="primary" onClick={() => go({ screen: 'fleet' })}>
            Go to Fleet
          </Button>
        }
      />
    )
  }
  return <LogsPanel key={key} view={`machines ${key}`} machines={shown} />
}
