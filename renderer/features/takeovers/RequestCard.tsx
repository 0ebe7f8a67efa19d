import { Forward, Hand, ImageOff, X } from 'lucide-react'
import type { Attempt } from '../../../shared/contract/engines.ts'
import { useApp } from '../../app/app.store.ts'
import { go } from '../../app/route.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { formatDuration, formatLeft } from '../../ui/time.ts'
import { driverTitle } from '../engine/engine.store.ts'
import { useMachine } from '../fleet/fleet.store.ts'
import { environmentNames } from '../machine/look.ts'
import { shownAddress } from '../navigation/shownAddress.ts'
import { Asking } from './Asking.tsx'
import { accept, decline, handOn, requestKey } from './operations.ts'
import styles from './RequestCard.module.css'
import type { Wanted } from './takeovers.store.ts'

interface RequestCardProps {
  request: Wanted
  /** In a line or two, for the top of the fleet: the queue has the rest. */
  brief?: boolean
}

/** One call for help: what is seen, what is wanted, what was tried, and how long is left. */
export function RequestCard({ request, brief = false }: RequestCardProps) {
  const machine = useMachine(request.machineId)
  const operator = useApp((state) => state.info?.settings.operator)
  const forMe = request.assignedTo !== null && request.assignedTo === operator
  const name = machine?.name ?? request.machineId
  const actions = <Actions request={request} brief={brief} />
  return (
    <li
      className={styles.request}
      data-testid={brief ? 'fleet-request' : 'request'}
      data-brief={brief ? '' : undefined}
      data-request={request.id}
      data-for-me={forMe ? '' : undefined}
    >
      <button
        type="button"
        className={styles.picture}
        aria-label={`Watch ${name}`}
        onClick={() => go({ screen: 'machine', machineId: request.machineId, tab: 'live' })}
      >
        {request.picture === null ? (
          <ImageOff size={brief ? 18 : 20} aria-hidden />
        ) : (
          <img src={`data:image/jpeg;base64,${request.picture}`} alt="The page as it was then" />
        )}
      </button>
      <div className={styles.what}>
        <header>
          <b>{name}</b>
          {!brief && machine !== undefined && <span>{environmentNames[machine.environment]}</span>}
          {!brief && (
            <span>
              asked <Age at={request.raisedAt} />
            </span>
          )}
          {request.assignedTo !== null && (
            <Badge tone="person">{forMe ? 'handed on to you' : `handed on to ${request.assignedTo}`}</Badge>
          )}
          <Left until={request.until} />
        </header>
        {brief ? (
          <p className={styles.reason} title={request.instruction}>
            {request.reason}
            {(request.tried ?? []).length > 0 && ` · tried ${triedNames(request)}`}
          </p>
        ) : (
          <>
            <p className={styles.instruction}>{request.instruction}</p>
            <p className={styles.reason}>{request.reason}</p>
            <p className={styles.page}>{shownAddress(request.pageUrl)}</p>
            <Tried attempts={request.tried ?? []} />
            {actions}
          </>
        )}
      </div>
      {brief && actions}
    </li>
  )
}

function Actions({ request, brief }: Required<RequestCardProps>) {
  const busy = useBusy(requestKey(request))
  const taking = (
    <Button
      variant="person"
      icon={<Hand size={15} aria-hidden />}
      busy={busy}
      data-testid="request-accept"
      onClick={() => void accept(request)}
    >
      {brief ? 'Take over' : 'Accept'}
    </Button>
  )
  return (
    <div className={styles.actions}>
      {/* The main thing stands at the end of a line, and at the beginning of a row of buttons. */}
      {!brief && taking}
      <Asking
        name="hand-on"
        title="Hand on"
        icon={<Forward size={15} aria-hidden />}
        label="Who is to take it?"
        hint="Their console marks it as theirs. Anyone may still accept."
        required
        onSubmit={(to) => handOn(request, to)}
      />
      {brief ? (
        taking
      ) : (
        <Asking
          name="decline"
          title="Decline"
          icon={<X size={15} aria-hidden />}
          label="Why?"
          hint="The operation fails at once instead of waiting for someone."
          onSubmit={(reason) => decline(request, reason)}
        />
      )}
    </div>
  )
}

const triedNames = ({ tried }: Wanted) => [...new Set((tried ?? []).map((one) => driverTitle(one)))].join(', ')

/** How long the machine waits yet. */
function Left({ until }: { until: number }) {
  const left = until - useNow()
  return (
    <span className={styles.left} data-short={left < 30_000 ? '' : undefined} data-testid="request-left">
      {left > 0 ? `${formatLeft(left)} left` : 'running out'}
    </span>
  )
}

const results: Readonly<Record<string, string>> = {
  success: 'done',
  failed: 'failed',
  timed_out: 'took too long',
  not_confident: 'was not sure',
  not_connected: 'did not connect',
  declined: 'declined',
  taken_over: 'taken over',
}

function Tried({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null
  return (
    <ol className={styles.tried} aria-label="What was tried" data-testid="request-tried">
      {attempts.map((one, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a trail only grows
        <li key={place} title={one.detail}>
          <span>{driverTitle(one)}</span>
          <span className={styles.result}>{results[one.result] ?? one.result}</span>
          <span>{formatDuration(one.durationMs)}</span>
          <small>{one.detail}</small>
        </li>
      ))}
    </ol>
  )
}
