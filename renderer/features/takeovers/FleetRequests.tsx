import { Forward, Hand, ImageOff } from 'lucide-react'
import { go } from '../../app/route.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { useWide } from '../../ui/useWide.ts'
import { driverTitle } from '../engine/engine.store.ts'
import { useMachine } from '../fleet/fleet.store.ts'
import styles from './FleetRequests.module.css'
import { accept, handOn, requestKey } from './operations.ts'
import { Asking, Left } from './RequestCard.tsx'
import { openRequests, useTakeovers, type Wanted } from './takeovers.store.ts'

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
      {shown.map((request) => (
        <Call key={request.id} request={request} />
      ))}
      {rest > 0 && (
        <Button variant="ghost" className={styles.rest} onClick={() => go({ screen: 'takeovers' })}>
          {rest} more…
        </Button>
      )}
    </section>
  )
}

function Call({ request }: { request: Wanted }) {
  const machine = useMachine(request.machineId)
  const busy = useBusy(requestKey(request))
  const tried = [...new Set((request.tried ?? []).map((one) => driverTitle(one)))].join(', ')
  const name = machine?.name ?? request.machineId
  return (
    <article className={styles.call} aria-label={name} data-testid="fleet-request">
      <button
        type="button"
        className={styles.picture}
        aria-label={`Watch ${name}`}
        onClick={() => go({ screen: 'machine', machineId: request.machineId, tab: 'live' })}
      >
        {request.picture === null ? (
          <ImageOff size={18} aria-hidden />
        ) : (
          <img src={`data:image/jpeg;base64,${request.picture}`} alt="The page as it was then" />
        )}
      </button>
      <div className={styles.what}>
        <header>
          <b>{name}</b>
          <Left until={request.until} />
        </header>
        <p title={request.instruction}>
          {request.reason}
          {tried !== '' && ` · tried ${tried}`}
        </p>
      </div>
      <Asking
        name="hand-on"
        title="Hand on"
        icon={<Forward size={15} aria-hidden />}
        label="Who is to take it?"
        hint="Their console marks it as theirs. Anyone may still accept."
        required
        onSubmit={(to) => handOn(request, to)}
      />
      <Button
        variant="person"
        icon={<Hand size={15} aria-hidden />}
        busy={busy}
        data-testid="request-accept"
        onClick={() => void accept(request)}
      >
        Take over
      </Button>
    </article>
  )
}
