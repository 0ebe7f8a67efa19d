import { Play, Square } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { problemOf } from '../../app/bridge.ts'
import { openStream } from '../../app/streams.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { useNow } from '../../ui/clock.ts'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { formatElapsed } from '../../ui/time.ts'
import { whyNot } from '../machine/reach.ts'
import { type CommandState, ended, followCommand } from './command.ts'
import styles from './Task.module.css'

const limits = { '30000': '30 s', '60000': '1 min', '300000': '5 min' } as const

/** One program with its arguments; there is no shell in between. */
export function RunCommand({ machine }: { machine: MachineView }) {
  const [command, setCommand] = useState('')
  const [limit, setLimit] = useState<keyof typeof limits>('30000')
  const [state, setState] = useState<CommandState>({ phase: 'idle' })
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const running = useRef<{ close: () => void; cancel: () => void } | null>(null)
  const why = whyNot(machine)
  // A command nobody watches any more is ended with its stream.
  useEffect(() => () => running.current?.close(), [])
  const run = async (event: FormEvent) => {
    event.preventDefault()
    if (command.trim() === '' || state.phase === 'running' || why !== undefined) return
    setProblem(null)
    setState({ phase: 'running', since: Date.now(), parts: [], cut: false })
    try {
      const stream = await openStream(machine.id, 'exec', { command, timeout_ms: Number(limit) })
      running.current = { close: () => stream.close(), cancel: followCommand(stream, setState) }
    } catch (error) {
      setProblem(problemOf(error))
      setState({ phase: 'idle' })
    }
  }
  return (
    <form className={styles.form} onSubmit={run}>
      <div className={styles.line}>
        <Field
          label="Command"
          hint="Split into arguments and started without a shell: no pipes, no variables. The machine may allow some programs only."
        >
          {(control) => (
            <Input
              {...control}
              className={styles.mono}
              value={command}
              maxLength={2000}
              placeholder="df -h"
              data-testid="task-command-line"
              onChange={(event) => setCommand(event.target.value)}
            />
          )}
        </Field>
        <Field label="At most">
          {(control) => <Select {...control} value={limit} options={limits} onChange={setLimit} />}
        </Field>
      </div>
      {problem !== null && <ErrorText problem={problem} />}
      {state.phase !== 'idle' && <Output state={state} />}
      <div className={styles.actions}>
        {state.phase === 'running' ? (
          <Button
            icon={<Square size={15} aria-hidden />}
            onClick={() => {
              running.current?.cancel()
              setState((now) => ended(now, 'You cancelled it.', false))
            }}
          >
            Cancel
          </Button>
        ) : (
          <Button
            type="submit"
            variant="primary"
            icon={<Play size={15} aria-hidden />}
            disabled={command.trim() === '' || why !== undefined}
            title={why}
            data-testid="task-run"
          >
            Run
          </Button>
        )}
      </div>
    </form>
  )
}

function Output({ state }: { state: Exclude<CommandState, { phase: 'idle' }> }) {
  const end = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new output is the reason to scroll
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [state.parts])
  const text = state.parts.map((part) => part.text).join('')
  return (
    <div className={styles.result}>
      <pre className={styles.output} data-testid="task-output">
        {state.cut && <em>The beginning is left out.{'\n'}</em>}
        {state.parts.map((part) => (
          <span key={part.id} data-from={part.from}>
            {part.text}
          </span>
        ))}
        <div ref={end} />
      </pre>
      <p className={styles.verdict} role="status" data-well={state.phase === 'ended' ? state.well : undefined}>
        {state.phase === 'running' ? <Running since={state.since} /> : state.verdict}
        {text !== '' && <CopyButton text={text} label="Copy the output" />}
      </p>
    </div>
  )
}

function Running({ since }: { since: number }) {
  const now = useNow()
  return <>Runs for {formatElapsed(now - since)}…</>
}
