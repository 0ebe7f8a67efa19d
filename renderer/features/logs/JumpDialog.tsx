import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { parseMoment } from './jump.ts'
import { formatMoment } from './row.ts'
import type { LogsSession } from './session.ts'

interface JumpDialogProps {
  session: LogsSession
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Goes to a moment of what is in view. */
export function JumpDialog({ session, open, onOpenChange }: JumpDialogProps) {
  return (
    <Dialog open={open} onClose={() => onOpenChange(false)} title="Jump to a time">
      <JumpForm session={session} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function JumpForm({ session, onDone }: { session: LogsSession; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | undefined>()
  const { firstTime, lastTime } = session.state.getState().stats ?? { firstTime: null, lastTime: null }
  const range =
    firstTime === null || lastTime === null
      ? 'There are no lines yet.'
      : `In view: ${formatMoment(firstTime)} to ${formatMoment(lastTime)}. Choose an earlier beginning in the bar for more.`
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const time = parseMoment(typed, Math.max(lastTime ?? 0, Date.now()))
    if (time === undefined) return setError('A time such as 14:03, 14:03:20, 2026-01-31 14:03, or 10 min ago.')
    if (firstTime !== null && time < firstTime - 1000) {
      return setError(`That is before the first line in view, ${formatMoment(firstTime)}. Choose an earlier beginning.`)
    }
    session.post({ type: 'jump', time })
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
