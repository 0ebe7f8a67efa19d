import { ChevronDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from './live.module.css'

/** What a takeover ended with; the machine keeps the word with the takeover. */
const outcomes = {
  resolved: 'Resolved',
  partly: 'Partly resolved',
  not_possible: 'Could not be resolved',
  not_needed: 'There was nothing to do',
} as const
type Outcome = keyof typeof outcomes

interface GiveBackProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  onGiveBack: (outcome: string, note: string) => Promise<void>
  problemOf: (error: unknown) => ShownProblem
}

/** The button that ends a takeover, and what it ended with. */
export function GiveBack({ open, onOpenChange, onGiveBack, problemOf }: GiveBackProps) {
  const [outcome, setOutcome] = useState<Outcome>('resolved')
  const [note, setNote] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await onGiveBack(outcome, note.trim())
      onOpenChange(false)
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Popover
      title="Give back control"
      open={open}
      onOpenChange={onOpenChange}
      trigger={
        <Button variant="person" data-testid="give-back">
          Give back <ChevronDown size={15} aria-hidden />
        </Button>
      }
    >
      <form className={styles.giveBack} onSubmit={submit}>
        <Field label="How did it end?">
          {(control) => <Select {...control} value={outcome} options={outcomes} onChange={setOutcome} />}
        </Field>
        <Field label="Note for whoever comes next">
          {(control) => (
            <TextArea
              {...control}
              value={note}
              maxLength={2000}
              placeholder="Optional"
              onChange={(event) => setNote(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event)
              }}
            />
          )}
        </Field>
        {problem !== null && <ErrorText problem={problem} />}
        <div className={styles.actions}>
          <Button type="submit" variant="person" busy={busy} data-testid="give-back-confirm">
            Give back control
          </Button>
        </div>
      </form>
    </Popover>
  )
}
