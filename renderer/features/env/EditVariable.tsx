import { type FormEvent, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import { isEnvKey } from '../../../shared/domain/env-file.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input, TextArea } from '../../ui/Field.tsx'
import { type EnvDraft, isRedacted, own, setValue } from './draft.ts'
import styles from './Env.module.css'
import { changeDraft } from './env.store.ts'

interface EditVariableProps {
  machine: MachineView
  env: CallResult<'env.get'>
  draft: EnvDraft
  editing: { kind: string; key?: string }
  onClose: () => void
}

/** One variable, new or changed. Nothing is written yet: it goes to the changes that are reviewed together. */
export function EditVariable({ machine, env, draft, editing, onClose }: EditVariableProps) {
  const open = editing.kind === 'add' || editing.kind === 'edit'
  const key = editing.kind === 'edit' ? editing.key : undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={key === undefined ? `Add a variable to ${machine.name}` : `Change ${key}`}
      description="Nothing is written yet: you see all changes together before they are saved."
    >
      {open && <EditForm machine={machine} env={env} draft={draft} name={key} onClose={onClose} />}
    </Dialog>
  )
}

interface EditFormProps extends Omit<EditVariableProps, 'editing'> {
  name: string | undefined
}

function EditForm({ machine, env, draft, name, onClose }: EditFormProps) {
  const [key, setKey] = useState(name ?? '')
  const hidden = name !== undefined && isRedacted(env, name) && draft.set[name] === undefined
  const [value, setValueTyped] = useState(name === undefined || hidden ? '' : (draft.set[name] ?? env.vars[name] ?? ''))
  const exists = name === undefined && own(env.fingerprints, key) !== undefined
  const mistake = key === '' || isEnvKey(key) ? undefined : 'Letters, digits, dot, dash and underscore; no digit first.'
  const ready = key !== '' && mistake === undefined && !exists && !value.includes('\0')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!ready) return
    changeDraft(machine.id, (now) => setValue(now, env, key, value))
    onClose()
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {name === undefined && (
        <Field label="Key" error={exists ? `${key} is there already: edit it in the table.` : mistake}>
          {(control) => (
            <Input
              {...control}
              className={styles.value}
              value={key}
              data-testid="env-key"
              onChange={(event) => setKey(event.target.value.trim())}
            />
          )}
        </Field>
      )}
      <Field
        label="Value"
        hint={
          hidden
            ? 'The value that is there now never leaves the machine. What you type here replaces it.'
            : key !== '' && isRedacted(env, key)
              ? 'By its name this is a secret: it is not shown again once it is saved.'
              : undefined
        }
      >
        {(control) => (
          <TextArea
            {...control}
            value={value}
            spellCheck={false}
            data-testid="env-value"
            onChange={(event) => setValueTyped(event.target.value)}
          />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!ready} data-testid="env-keep">
          {name === undefined ? 'Add to the changes' : 'Keep the change'}
        </Button>
      </DialogActions>
    </form>
  )
}
