import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import styles from './Env.module.css'

/** A value that is looked at is not left on screen. */
const shownMs = 30_000

interface RevealVariableProps {
  machine: MachineView
  name: string | null
  onClose: () => void
  onShown: (key: string, value: string) => void
  onHidden: (key: string) => void
}

/** Asks why a value has to be seen; the machine writes the reason down before it shows it. */
export function RevealVariable({ machine, name, onClose, onShown, onHidden }: RevealVariableProps) {
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => () => timers.current.forEach(clearTimeout), [])
  const shown = (key: string, value: string) => {
    onShown(key, value)
    timers.current.add(setTimeout(() => onHidden(key), shownMs))
    onClose()
  }
  return (
    <Dialog
      open={name !== null}
      onClose={onClose}
      title={`Reveal ${name ?? ''}`}
      description={`Your name and the reason go into the audit of ${machine.name}. The value is shown for 30 s.`}
    >
      {name !== null && <RevealForm machine={machine} name={name} onClose={onClose} onShown={shown} />}
    </Dialog>
  )
}

function RevealForm({
  machine,
  name,
  onClose,
  onShown,
}: Omit<RevealVariableProps, 'name' | 'onHidden'> & { name: string }) {
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const ready = reason.trim().length >= 3
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready || busy) return
    setBusy(true)
    try {
      const { value } = await callAgent(machine.id, 'env.reveal', { key: name, reason })
      onShown(name, value)
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Field label="Why it has to be seen" hint="At least three characters.">
        {(control) => (
          <Input
            {...control}
            value={reason}
            data-testid="env-reason"
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {problem !== null && <ErrorText problem={problem} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={!ready} data-testid="env-reveal-submit">
          Reveal
        </Button>
      </DialogActions>
    </form>
  )
}
