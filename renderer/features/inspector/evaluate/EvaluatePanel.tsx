import { Ban, ChevronLeft, ChevronRight, CircleStop, Hand, Play } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { useNow } from '../../../ui/clock.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { formatElapsed } from '../../../ui/time.ts'
import { useChanging } from '../changing.ts'
import { Stack } from '../console/ConsoleRow.tsx'
import { ObjectView } from '../objects/ObjectView.tsx'
import bar from '../PanelBar.module.css'
import type { PanelProps } from '../panels.tsx'
import { useSnapshot } from '../sessions.ts'
import { TakeOverButton, whyReadOnly } from '../takeOver.tsx'
import styles from './Evaluate.module.css'
import { historyOf, step } from './history.ts'
import { type EvaluateModel, type Evaluation, evaluateOf } from './model.ts'

/** Runs code in the page: for whoever has control, and for nobody else. */
export function EvaluatePanel({ machine, session }: PanelProps) {
  const model = evaluateOf(session)
  useChanging(model)
  const { phase } = useSnapshot(session)
  const why = whyReadOnly(machine)
  const end = useRef<HTMLDivElement>(null)
  const { evaluations } = model
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is brought into sight
  useLayoutEffect(() => {
    if (end.current !== null) end.current.scrollTop = end.current.scrollHeight
  }, [evaluations])
  return (
    <div className={bar.panel} data-testid="evaluate-panel">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls has to be reachable by keyboard */}
      <div ref={end} className={styles.answers} role="log" aria-label="Answers" tabIndex={0}>
        {evaluations.map((one) => (
          <Answer key={one.id} evaluation={one} model={model} />
        ))}
        {evaluations.length === 0 && why !== undefined && (
          <EmptyState
            icon={<Hand size={24} aria-hidden />}
            title="Running code in the page needs control"
            text={
              machine.lease === null
                ? 'While you only look, nothing you do here can reach the page. Taking over makes an engine wait until you give back.'
                : `${machine.lease.operator} has control. Ask them to give it back first.`
            }
            action={<TakeOverButton machine={machine} />}
          />
        )}
        {evaluations.length === 0 && why === undefined && (
          <p className={bar.empty}>
            Enter runs, Shift Enter makes a new line, ↑ brings back what was run before. $0 is what is chosen in
            Elements.
          </p>
        )}
      </div>
      <Editor key={machine.id} machineId={machine.id} model={model} why={phase === 'open' ? why : 'wait for a page'} />
    </div>
  )
}

function Editor({ machineId, model, why }: { machineId: string; model: EvaluateModel; why: string | undefined }) {
  const [text, setText] = useState('')
  const [back, setBack] = useState(0)
  const written = useRef('')
  const { running } = model
  const run = () => {
    const expression = text.trim()
    if (expression === '' || why !== undefined || running) return
    setText('')
    setBack(0)
    written.current = ''
    void model.run(expression)
  }
  const recall = (by: 1 | -1): boolean => {
    const history = historyOf(machineId)
    const at = step(history, back, by)
    if (at === back) return false
    if (back === 0) written.current = text
    setBack(at)
    setText(at === 0 ? written.current : (history[history.length - at] ?? ''))
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget
    const still = selectionStart === selectionEnd && !event.shiftKey && !event.altKey
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) run()
    else if (event.key === 'ArrowUp' && still && !value.slice(0, selectionStart).includes('\n')) {
      if (!recall(1)) return
    } else if (event.key === 'ArrowDown' && still && !value.slice(selectionEnd).includes('\n')) {
      if (!recall(-1)) return
    } else return
    event.preventDefault()
  }
  return (
    <div className={styles.editor} data-off={why === undefined ? undefined : ''}>
      <ChevronRight size={15} aria-hidden />
      <textarea
        aria-label="Code to run in the page"
        data-testid="evaluate-input"
        placeholder={why === undefined ? 'document.title' : `To run code, ${why}`}
        readOnly={why !== undefined}
        spellCheck={false}
        rows={Math.min(10, Math.max(1, text.split('\n').length))}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setBack(0)
        }}
        onKeyDown={onKeyDown}
      />
      <IconButton label="Clear the answers" icon={<Ban size={14} aria-hidden />} onClick={() => model.clear()} />
      {running ? (
        <Button
          icon={<CircleStop size={14} aria-hidden />}
          data-testid="evaluate-stop"
          onClick={() =>
            model
              .stop()
              .catch((error: Error) =>
                toast({ title: 'It could not be stopped', detail: error.message, kind: 'problem', id: 'evaluate' }),
              )
          }
        >
          Stop
        </Button>
      ) : (
        <Button
          variant="primary"
          icon={<Play size={14} aria-hidden />}
          disabled={why !== undefined || text.trim() === ''}
          data-testid="evaluate-run"
          onClick={run}
        >
          Run
        </Button>
      )}
    </div>
  )
}

function Answer({ evaluation, model }: { evaluation: Evaluation; model: EvaluateModel }) {
  const { id, expression, outcome } = evaluation
  const reader = { opened: model.opened, read: (objectId: string) => model.read(objectId) }
  return (
    <div className={styles.evaluation} data-kind={outcome.kind} data-testid="evaluation">
      <p className={styles.asked}>
        <ChevronRight size={13} aria-hidden /> <code>{expression}</code>
      </p>
      <div className={styles.answer} data-testid="evaluation-answer">
        {outcome.kind !== 'running' && <ChevronLeft size={13} aria-hidden />}
        {outcome.kind === 'running' && <Running since={outcome.since} />}
        {outcome.kind === 'value' && <ObjectView object={outcome.object} reader={reader} path={`${id}:value`} nested />}
        {outcome.kind === 'failed' && <span className={styles.wrong}>{outcome.text}</span>}
        {outcome.kind === 'thrown' && (
          <div>
            <span className={styles.wrong}>{outcome.text}</span>
            {outcome.object !== null && <ObjectView object={outcome.object} reader={reader} path={`${id}:thrown`} />}
            {outcome.stack.length > 0 && <Stack id={id} stack={outcome.stack} opened={model.opened} />}
          </div>
        )}
      </div>
    </div>
  )
}

function Running({ since }: { since: number }) {
  const now = useNow()
  return <span className={styles.running}>running {now - since > 1000 && formatElapsed(now - since)}</span>
}
