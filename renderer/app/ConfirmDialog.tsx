import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'
import { Field, Input } from '../ui/Field.tsx'
import styles from './Shell.module.css'
import { type Confirmation, useUi } from './ui.store.ts'

const close = () => useUi.setState({ confirmation: null })

/** Another may have been asked meanwhile: that one stays. */
const closeThis = (ended: Confirmation) =>
  useUi.setState(({ confirmation }) => (confirmation === ended ? { confirmation: null } : {}))

/** Asks before something is destroyed, and names it. */
export function ConfirmDialog() {
  const confirmation = useUi((state) => state.confirmation)
  // Kept while the dialog fades, so that it does not empty before it goes.
  const [{ shown, count }, setShown] = useState<{ shown: Confirmation | null; count: number }>({
    shown: null,
    count: 0,
  })
  if (confirmation !== null && confirmation !== shown) setShown({ shown: confirmation, count: count + 1 })
  if (shown === null) return null
  return (
    <Dialog open={confirmation !== null} onClose={close} title={shown.title} description={shown.text}>
      <ConfirmForm key={count} confirmation={shown} />
    </Dialog>
  )
}

function ConfirmForm({ confirmation }: { confirmation: Confirmation }) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const ready = confirmation.typed === undefined || typed.trim() === confirmation.typed
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready || busy) return
    setBusy(true)
    const done = await confirmation.run()
    setBusy(false)
    if (done) closeThis(confirmation)
  }
  return (
    <form className={styles.confirm} onSubmit={submit}>
      {confirmation.typed !== undefined && (
        <Field label={`Type ${confirmation.typed} to confirm`}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              data-testid="confirm-name"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" variant="danger" disabled={!ready} busy={busy} data-testid="confirm">
          {confirmation.action}
        </Button>
      </DialogActions>
    </form>
  )
}
