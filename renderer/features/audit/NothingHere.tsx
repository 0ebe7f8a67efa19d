import { ScrollText, Search, SearchX } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { loadMore, nothingWanted, stopLooking, useAudit, want } from './audit.store.ts'
import { momentOf } from './moment.ts'
import { missingWords } from './sources.ts'

/** An empty list, and whether that is the whole truth. */
export function NothingHere() {
  const { wanted, phase, next, missing } = useAudit()
  const machines = useFleet((state) => state.machines)
  if (phase === 'loading') return null
  if (phase === 'looking')
    return (
      <EmptyState
        icon={<Search size={26} aria-hidden />}
        title="Looking further back"
        text={`No entry matches since ${momentOf(next?.at)}. Machines are asked for what is older.`}
        action={<Button onClick={stopLooking}>Stop</Button>}
      />
    )
  if (next !== null)
    return (
      <EmptyState
        icon={<SearchX size={26} aria-hidden />}
        title="No entry matches so far"
        text={`Looked back to ${momentOf(next.at)}. There are older entries.`}
        action={<Button onClick={() => void loadMore()}>Look further back</Button>}
      />
    )
  if (wanted === nothingWanted || JSON.stringify(wanted) === JSON.stringify(nothingWanted))
    return (
      <EmptyState
        icon={<ScrollText size={26} aria-hidden />}
        title="Nothing yet"
        text="Everything that is changed from here, and on every machine, will stand here."
      />
    )
  return (
    <EmptyState
      icon={<SearchX size={26} aria-hidden />}
      title={missing.length === 0 ? 'No entry matches' : 'No entry at hand matches'}
      text={missing.length === 0 ? undefined : missingWords(missing, machines)}
      action={<Button onClick={() => want(nothingWanted)}>Show everything</Button>}
    />
  )
}
