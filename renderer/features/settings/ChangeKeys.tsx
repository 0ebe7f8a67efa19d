import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import type { ConsoleAction } from '../../app/action-kit.ts'
import { nameOf } from '../../app/action-names.ts'
import { currentActions } from '../../app/actions.ts'
import { addPress, mistakeIn, pressOf } from '../../app/chosen-keys.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Input } from '../../ui/Field.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { describeKeys } from '../../ui/keys.ts'
import styles from './Settings.module.css'

interface ChangeKeysProps {
  action: ConsoleAction | null
  onClose: () => void
  onSave: (action: ConsoleAction, keys: string) => void
}

/** Listens to the keys that are pressed, and says at once if they belong to something else. */
export function ChangeKeys({ action, onClose, onSave }: ChangeKeysProps) {
  return (
    <Dialog open={action !== null} onClose={onClose} title={action === null ? 'Keys' : `Keys of “${nameOf(action)}”`}>
      {action !== null && (
        <Recorder key={action.id} action={action} onClose={onClose} onSave={(keys) => onSave(action, keys)} />
      )}
    </Dialog>
  )
}

interface RecorderProps {
  action: ConsoleAction
  onClose: () => void
  onSave: (keys: string) => void
}

function Recorder({ action, onClose, onSave }: RecorderProps) {
  const id = useId()
  const [keys, setKeys] = useState('')
  const mistake = keys === '' ? null : mistakeIn(keys, action, currentActions(), nameOf)
  const ready = keys !== '' && mistake === null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready) onSave(keys)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // These keep their meaning: leave, go on, save.
    if (event.key === 'Escape' || event.key === 'Tab' || event.key === 'Enter') return
    const press = pressOf(event)
    event.preventDefault()
    if (press !== null && !event.repeat) setKeys(addPress(keys, press))
  }
  return (
    <form className={styles.recorder} onSubmit={submit}>
      <Input
        readOnly
        aria-label="Press the keys"
        aria-describedby={id}
        aria-invalid={mistake === null ? undefined : true}
        placeholder="Press the keys"
        value={describeKeys(keys).join(' ')}
        className={styles.recorded}
        data-keys="recorded"
        data-testid="recorded-keys"
        onKeyDown={onKeyDown}
      />
      <p id={id} className={mistake === null ? styles.quiet : styles.mistake} role="status" data-testid="keys-mistake">
        {mistake ?? 'One key with Ctrl or Alt, or one or two plain keys after each other. Now: '}
        {mistake === null && <Kbd keys={action.keys} />}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!ready} data-testid="save-keys">
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
