import { Forward, Hand, ImageOff, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Attempt } from '../../../shared/contract/engines.ts'
import { useApp } from '../../app/app.store.ts'
import { go } from '../../app/route.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { Field, Input } from '../../ui/Field.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { formatDuration, formatLeft } from '../../ui/time.ts'
import { driverTitle } from '../engine/engine.store.ts'
import { useMachine } from '../fleet/fleet.store.ts'
import { environmentNames } from '../machine/look.ts'
import { shownAddress } from '../navigation/shownAddress.ts'
import { accept, decline, handOn, requestKey } from './operations.ts'
import styles from './Takeovers.module.css'
import type { Wanted } from './takeovers.store.ts'

/** One call for help: what is seen, what is wanted, what was tried, and how long is left. */
export function RequestCard({ request }: { request: Wanted }) {
  const machine = useMachine(request.machineId)
  const operator = useApp((state) => state.info?.settings.operator)
  const busy = useBusy(requestKey(request))
  const forMe = request.assignedTo !== null && request.assignedTo === operator
  return (
    <li className={styles.request} data-testid="request" data-request={request.id} data-for-me={forMe ? '' : undefined}>
      <button
        type="button"
        className={styles.picture}
        aria-label={`Watch ${machine?.name ?? 'the machine'}`}
        onClick={() => go({ screen: 'machine', machineId: request.machineId, tab: 'live' })}
      >
        {request.picture === null ? (
          <ImageOff size={20} aria-hidden />
        ) : (
          <img src={`data:image/jpeg;base64,${request.picture}`} alt="The page as it was then" />
        )}
      </button>
      <div className={styles.what}>
        <header>
          <b>{machine?.name ?? request.machineId}</b>
          {machine !== undefined && <span>{environmentNames[machine.environment]}</span>}
          <span>
            asked <Age at={request.raisedAt} />
          </span>
          {request.assignedTo !== null && (
            <Badge tone="person">{forMe ? 'handed on to you' : `handed on to ${request.assignedTo}`}</Badge>
          )}
          <Left until={request.until} />
        </header>
        <p className={styles.instruction}>{request.instruction}</p>
        <p className={styles.reason}>{request.reason}</p>
        <p className={styles.page}>{shownAddress(request.pageUrl)}</p>
        <Tried attempts={request.tried ?? []} />
        <div className={styles.actions}>
          <Button
            variant="person"
            icon={<Hand size={15} aria-hidden />}
            busy={busy}
            data-testid="request-accept"
            onClick={() => void accept(request)}
          >
            Accept
          </Button>
          <Asking
            name="hand-on"
            title="Hand on"
            icon={<Forward size={15} aria-hidden />}
            label="Who is to take it?"
            hint="Their console marks it as theirs. Anyone may still accept."
            required
            onSubmit={(to) => handOn(request, to)}
          />
          <Asking
            name="decline"
            title="Decline"
            icon={<X size={15} aria-hidden />}
            label="Why?"
            hint="The operation fails at once instead of waiting for someone."
            onSubmit={(reason) => decline(request, reason)}
          />
        </div>
      </div>
    </li>
  )
}

/** How long the machine waits yet. */
export function Left({ until }: { until: number }) {
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

interface AskingProps {
  name: string
  title: string
  icon: React.ReactNode
  label: string
  hint: string
  required?: boolean
  onSubmit: (text: string) => Promise<boolean>
}

/** A button that asks for a few words first. */
export function Asking({ name, title, icon, label, hint, required = false, onSubmit }: AskingProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (required && text.trim() === '') return
    if (await onSubmit(text.trim())) setOpen(false)
  }
  return (
    <Popover
      title={title}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button icon={icon} data-testid={`request-${name}`}>
          {title}…
        </Button>
      }
    >
      <form className={styles.asking} onSubmit={submit}>
        <Field label={label} hint={hint}>
          {(control) => (
            <Input
              {...control}
              value={text}
              maxLength={200}
              data-testid={`request-${name}-text`}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className={styles.actions}>
          <Button
            type="submit"
            variant="primary"
            disabled={required && text.trim() === ''}
            data-testid={`request-${name}-submit`}
          >
            {title}
          </Button>
        </div>
      </form>
    </Popover>
  )
}
