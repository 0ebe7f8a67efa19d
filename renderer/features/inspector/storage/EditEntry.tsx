import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../../ui/Dialog.tsx'
import { Field, Input, TextArea } from '../../../ui/Field.tsx'
import tools from '../tools.module.css'
import type { Entry } from './areas.ts'

interface EditEntryProps {
  title: string
  editing: Entry | 'new' | null
  onClose: () => void
  onSave: (key: string, value: string) => Promise<boolean>
}

export function EditEntry({ title, editing, onClose, onSave }: EditEntryProps) {
  return (
    <Dialog
      open={editing !== null}
      onClose={onClose}
      wide
      title={editing === 'new' || editing === null ? `Add to the ${title}` : `Change ${editing[0].slice(0, 60)}`}
      description="The page reads it the next time it looks."
    >
      {editing !== null && <EntryForm entry={editing === 'new' ? null : editing} onClose={onClose} onSave={onSave} />}
    </Dialog>
  )
}

function EntryForm({ entry, onClose, onSave }: { entry: Entry | null } & Pick<EditEntryProps, 'onClose' | 'onSave'>) {
  const [key, setKey] = useState(entry?.[0] ?? '')
  const [value, setValue] = useState(entry?.[1] ?? '')
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || (entry === null && key === '')) return
    setBusy(true)
    const done = await onSave(key, value)
    setBusy(false)
    if (done) onClose()
  }
  return (
    <form className={tools.form} onSubmit={submit} noValidate>
      <Field label="Key">
        {(control) => (
          <Input
            {...control}
            className={tools.mono}
            readOnly={entry !== null}
            value={key}
            data-testid="entry-key"
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <Field label="Value">
        {(control) => (
          <TextArea
            {...control}
            rows={8}
            className={tools.mono}
            spellCheck={false}
            value={value}
            data-testid="entry-value"
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabled={entry === null && key === ''}
          data-testid="entry-save"
        >
          {entry === null ? 'Add' : 'Change'}
        </Button>
      </DialogActions>
    </form>
  )
}
