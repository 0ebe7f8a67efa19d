import { go } from '../../app/route.ts'
import { Button } from '../../ui/Button.tsx'
import { useWide } from '../../ui/useWide.ts'
import { RequestCard } from './RequestCard.tsx'
import styles from './Takeovers.module.css'
import { openRequests, useTakeovers } from './takeovers.store.ts'

/** On top of the fleet: the calls for help that have waited longest, and how many more there are. */
export function FleetRequests() {
  const requests = useTakeovers((state) => state.requests)
  const wide = useWide(1180)
  const open = openRequests(requests)
  if (open.length === 0) return null
  const shown = open.slice(0, wide ? 2 : 1)
  const rest = open.length - shown.length
  return (
    <section className={styles.strip} aria-label="Takeover requests" data-testid="fleet-requests">
      <ol>
        {shown.map((request) => (
          <RequestCard key={request.id} request={request} brief />
        ))}
      </ol>
      {rest > 0 && (
        <Button variant="ghost" onClick={() => go({ screen: 'takeovers' })}>
          {rest} more…
        </Button>
      )}
    </section>
  )
}
