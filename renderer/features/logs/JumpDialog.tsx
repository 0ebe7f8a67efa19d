import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { choose, momentOf, sinceFor, useChoice } from './choices.store.ts'
import { parseMoment } from './jump.ts'
import { formatMoment } from './row.ts'
import type { LogsSession } from './session.ts'

interface JumpDialogProps {
  view: string
  session: LogsSession
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Goes to a moment; one that is before what is in view is read from the machine. */
export function JumpDialog({ view, session, open, onOpenChange }: JumpDialogProps) {
  return (
    <Dialog open={open} onClose={() => onOpenChange(false)} title="Jump to a time">
      <JumpForm view={view} session={session} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function JumpForm({ view, session, onDone }: { view: string; session: LogsSession; onDone: () => void }) {
  const { since } = useChoice(view)
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | undefined>()
  const { firstTime, lastTime } = session.state.getState().stats ?? { firstTime: null, lastTime: null }
  const range =
    firstTime === null || lastTime === null
      ? 'There are no lines yet.'
      : `In view: ${formatMoment(firstTime)} to ${formatMoment(lastTime)}. What is earlier is read from the machine.`
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const now = Date.now()
    const time = parseMoment(typed, Math.max(lastTime ?? 0, now))
    if (time === undefined) return setError('A time such as 14:03, 14:03:20, 2026-01-31 14:03, or 10 min ago.')
    const begin = momentOf(since, now)
    session.aim(time, null)
    if (time >= (firstTime ?? now) || time >= (begin ?? now)) session.land()
    else choose(view, { since: sinceFor(time, now) })
    onDone()
  }
  return (
    <form onSubmit={submit}>
      <Field label="Time, on this computer’s clock" hint={range} error={error}>
        {(control) => (
          <Input
            {...control}
            value={typed}
            placeholder="14:03:20"
            autoFocus
            data-testid="logs-jump-time"
            onChange={(event) => {
              setTyped(event.target.value)
              setError(undefined)
            }}
          />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" data-testid="logs-jump-go">
          Jump
        </Button>
      </DialogActions>
    </form>
  )
}
