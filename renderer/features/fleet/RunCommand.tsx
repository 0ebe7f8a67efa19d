import { Play } from 'lucide-react'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { type DotLook, StateDot } from '../../ui/StateDot.tsx'
import { formatElapsed } from '../../ui/time.ts'
import styles from './Batch.module.css'
import { inTurns } from './batch.store.ts'
import { type Answer, blankAnswer, differing, runOn } from './commands.ts'
import { againstRunning, selectedMachines, sortOut } from './operations.ts'

const atOnce = 8

/** One command on every selected machine, and what each of them answers, side by side. */
export function RunCommand() {
  const open = useUi((state) => state.open === 'run-command')
  return (
    <Dialog
      open={open}
      onClose={() => show('none')}
      title="Run a command"
      description="Split into arguments and started without a shell; each machine records who ran it and what."
      broad
    >
      <RunCommandBody />
    </Dialog>
  )
}

function RunCommandBody() {
  const [{ machines, leftOut }] = useState(() => sortOut(selectedMachines(), againstRunning))
  const [command, setCommand] = useState('')
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({})
  const [running, setRunning] = useState(false)
  const ends = useRef(new Set<() => void>())
  const stopped = useRef(false)
  const cancelAll = useCallback(() => {
    stopped.current = true
    for (const end of ends.current) end()
  }, [])
  useEffect(() => cancelAll, [cancelAll])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (command.trim() === '' || running || machines.length === 0) return
    stopped.current = false
    setRunning(true)
    setAnswers(Object.fromEntries(machines.map((machine) => [machine.id, blankAnswer(machine)])))
    const put = (answer: Answer) => setAnswers((known) => ({ ...known, [answer.machineId]: answer }))
    await inTurns(machines, atOnce, async (machine: MachineView) => {
      if (stopped.current) return put({ ...blankAnswer(machine), state: 'cancelled', note: 'not begun' })
      const { done, cancel } = runOn(machine, command.trim(), put)
      ends.current.add(cancel)
      await done
      ends.current.delete(cancel)
    })
    setRunning(false)
  }

  const shown = machines.flatMap(({ id }) => answers[id] ?? [])
  const odd = differing(shown)
  return (
    <>
      <form className={styles.command} onSubmit={submit}>
        <div>
          <Field
            label={machines.length === 1 ? `Command on ${machines[0]?.name}` : `Command on ${machines.length} machines`}
          >
            {(control) => (
              <Input
                {...control}
                value={command}
                placeholder="uname -a"
                maxLength={2000}
                data-testid="command"
                onChange={(event) => setCommand(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button
          type="submit"
          variant="primary"
          icon={<Play size={15} aria-hidden />}
          busy={running}
          disabled={command.trim() === '' || machines.length === 0}
          data-testid="command-run"
        >
          Run
        </Button>
      </form>
      {leftOut.length > 0 && (
        <p className={styles.left}>
          Left out:{' '}
          {leftOut
            .slice(0, 5)
            .map(({ machine, reason }) => `${machine.name} (${reason})`)
            .join(', ')}
          {leftOut.length > 5 && ` and ${leftOut.length - 5} more`}.
        </p>
      )}
      {shown.length > 0 && (
        <>
          <p className={styles.summary} role="status">
            {summaryOf(shown)}
            {!running && shown.length > 1 && (odd.size === 0 ? ' · all answered the same' : ` · ${odd.size} differ`)}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard */}
          <section className={styles.answers} data-testid="answers" tabIndex={0} aria-label="Answers">
            {shown.map((answer) => (
              <AnswerCard key={answer.machineId} answer={answer} odd={odd.has(answer.machineId)} />
            ))}
          </section>
        </>
      )}
      <DialogActions>
        {running && <Button onClick={cancelAll}>Cancel the command</Button>}
        <Button onClick={() => show('none')}>Close</Button>
      </DialogActions>
    </>
  )
}

function summaryOf(answers: readonly Answer[]): string {
  const well = answers.filter(({ state, exitCode }) => state === 'ended' && exitCode === 0).length
  const open = answers.filter(({ state }) => state === 'running' || state === 'waiting').length
  const ill = answers.length - well - open
  return [`${well} of ${answers.length} ended well`, ill > 0 && `${ill} did not`, open > 0 && `${open} to go`]
    .filter(Boolean)
    .join(', ')
}

function lookOf({ state, exitCode, signal }: Answer): DotLook & { word: string } {
  if (state === 'running') return { tone: 'engine', shape: 'round', pulsing: true, word: 'running' }
  if (state === 'waiting') return { tone: 'off', shape: 'square', hollow: true, word: 'waiting' }
  if (state === 'cancelled') return { tone: 'off', shape: 'square', word: 'cancelled' }
  if (state === 'failed') return { tone: 'broken', shape: 'diamond', word: 'failed' }
  return exitCode === 0
    ? { tone: 'up', shape: 'round', word: 'exit 0' }
    : {
        tone: 'broken',
        shape: 'diamond',
        word: exitCode === null ? `ended by ${signal ?? 'a signal'}` : `exit ${exitCode}`,
      }
}

function AnswerCard({ answer, odd }: { answer: Answer; odd: boolean }) {
  const { word, ...look } = lookOf(answer)
  const text = answer.output.map((part) => part.text).join('')
  return (
    <section className={styles.answer} aria-label={answer.name} data-testid="answer" data-state={answer.state}>
      <header>
        <StateDot {...look} />
        <bdi className={styles.name} title={answer.name}>
          {answer.name}
        </bdi>
        <small>
          {odd && 'differs · '}
          {word}
          {answer.tookMs !== null && answer.state !== 'running' && ` · ${formatElapsed(answer.tookMs)}`}
        </small>
        {text !== '' && <CopyButton text={text} label={`Copy the answer of ${answer.name}`} />}
      </header>
      <pre>
        {answer.output.map((part, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
          <span key={place} className={part.from === 'stderr' ? styles.stderr : undefined}>
            {part.text}
          </span>
        ))}
        {answer.note !== '' && <em>{`${text === '' || text.endsWith('\n') ? '' : '\n'}${answer.note}`}</em>}
      </pre>
    </section>
  )
}
