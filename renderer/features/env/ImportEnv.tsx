import { type FormEvent, useMemo, useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { diffOf, type EnvDraft, importText } from './draft.ts'
import styles from './Env.module.css'
import { changeDraft } from './env.store.ts'

interface ImportEnvProps {
  machine: MachineView
  env: CallResult<'env.get'>
  draft: EnvDraft
  open: boolean
  onClose: () => void
  onReview: () => void
}

/** A `.env` file, pasted: it becomes changes, which are shown before any of them is written. */
export function ImportEnv({ machine, open, onClose, ...rest }: ImportEnvProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title={`Import variables into ${machine.name}`}
      description="Paste a .env file. Keys it does not name stay as they are; the file on the machine keeps its comments and its order."
    >
      {open && <ImportForm machine={machine} open={open} onClose={onClose} {...rest} />}
    </Dialog>
  )
}

function ImportForm({ machine, env, draft, onClose, onReview }: ImportEnvProps) {
  const [text, setText] = useState('')
  const result = useMemo(() => importText(draft, env, text), [draft, env, text])
  const changes = diffOf(result.draft, env).filter(({ key }) => result.keys.includes(key))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changes.length === 0) return
    changeDraft(machine.id, () => result.draft)
    onReview()
  }
  return (
    <form className={`${styles.form} ${styles.paste}`} onSubmit={submit}>
      <Field label="The file’s text" hint={<Said text={text} result={result} changes={changes.length} />}>
        {(control) => (
          <TextArea
            {...control}
            value={text}
            spellCheck={false}
            placeholder={'# comments are passed over\nAPI_URL=https://example.org\nGREETING="two words"'}
            data-testid="env-paste"
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={changes.length === 0} data-testid="env-import-review">
          Review the changes
        </Button>
      </DialogActions>
    </form>
  )
}

function Said({ text, result, changes }: { text: string; result: ReturnType<typeof importText>; changes: number }) {
  if (text.trim() === '') return <>Nothing is read from your disk: only what you paste here.</>
  const { keys, unreadable, doubles } = result
  return (
    <span data-testid="env-import-said">
      {keys.length} {keys.length === 1 ? 'variable' : 'variables'} found, {changes} would change.
      {doubles.length > 0 && ` Twice in the text, the last one counts: ${doubles.join(', ')}.`}
      {unreadable.length > 0 &&
        ` ${unreadable.length} ${unreadable.length === 1 ? 'line' : 'lines'} cannot be read: ${someOf(unreadable)}`}
    </span>
  )
}

const mostNamed = 5

/** Each begins a line of its own in the text, so that it is found there. */
function someOf(lines: readonly string[]): string {
  const named = lines.slice(0, mostNamed).map((line) => line.trim().slice(0, 60))
  return [...named, ...(lines.length > mostNamed ? [`and ${lines.length - mostNamed} more`] : [])].join(' · ')
}
