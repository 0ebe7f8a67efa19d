import { ChevronDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Given } from './client.ts'
import styles from './live.module.css'

/** What a takeover ended with; the machine keeps the word with the takeover. */
const outcomes = {
  resolved: 'Resolved',
  partly: 'Partly resolved',
  not_possible: 'Could not be resolved',
  not_needed: 'There was nothing to do',
} as const
type Outcome = keyof typeof outcomes

/** Who drives next. */
const receivers = {
  none: 'Nobody',
  'stagehand/dom': 'Stagehand, reading the page',
  'stagehand/cua': 'Stagehand, seeing the screen',
  magnitude: 'Magnitude',
} as const
type Receiver = keyof typeof receivers

interface GiveBackProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  note: string
  /** The note was written before, and went to nobody. */
  unsent: boolean
  onNote: (note: string) => void
  /** The engine that waits, if one does: `stagehand/dom`. */
  paused: string | null
  onGiveBack: (given: Given) => Promise<void>
  problemOf: (error: unknown) => ShownProblem
}

/** The button that ends a takeover, and what it ended with. */
export function GiveBack(props: GiveBackProps) {
  const { open, onOpenChange, note, unsent, onNote, paused, onGiveBack, problemOf } = props
  const [outcome, setOutcome] = useState<Outcome>('resolved')
  const [chosen, setChosen] = useState<Receiver | null>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ShownProblem | null>(null)

  const waiting = (Object.keys(receivers) as Receiver[]).find((one) => one === paused)
  const receiver = chosen ?? waiting ?? 'none'

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await onGiveBack({ outcome, note: note.trim(), ...driverOf(receiver) })
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
        <Field
          label="Who goes on?"
          hint={
            receiver === 'none'
              ? undefined
              : receiver === waiting
                ? 'It waits since you took over. You keep control until it sees the page.'
                : 'You keep control until it sees the page.'
          }
        >
          {(control) => <Select {...control} value={receiver} options={receivers} onChange={setChosen} />}
        </Field>
        <Field
          label="Note for whoever comes next"
          hint={unsent ? 'Written before control ended. It was not sent.' : undefined}
        >
          {(control) => (
            <TextArea
              {...control}
              value={note}
              maxLength={2000}
              placeholder="Optional"
              onChange={(event) => onNote(event.target.value)}
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

function driverOf(receiver: Receiver): Pick<Given, 'handBackTo' | 'mode'> {
  if (receiver === 'stagehand/dom') return { handBackTo: 'stagehand', mode: 'dom' }
  if (receiver === 'stagehand/cua') return { handBackTo: 'stagehand', mode: 'cua' }
  return { handBackTo: receiver }
}
