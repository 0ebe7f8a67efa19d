import { useState } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'
import { Button } from '../../ui/Button.tsx'
import { Check } from '../../ui/Check.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { toast } from '../../ui/Toast.tsx'
import { useLate } from '../../ui/useLate.ts'
import { whyNot } from '../machine/reach.ts'
import { asCall, type DiffRow, diffOf, type EnvDraft, rebase } from './draft.ts'
import styles from './Env.module.css'
import { changeDraft, dropDraft } from './env.store.ts'

interface ReviewEnvProps {
  machine: MachineView
  env: CallResult<'env.get'>
  draft: EnvDraft
  open: boolean
  onClose: () => void
  reload: () => Promise<void>
}

/** What saving will do, line by line, and whether the services restart with it. */
export function ReviewEnv({ machine, open, ...rest }: ReviewEnvProps) {
  return (
    <Dialog
      open={open}
      onClose={rest.onClose}
      wide
      title={`Save to ${machine.name}`}
      description="The file keeps its comments and its order, and a copy of what it was. Saving is one write: all of this, or nothing."
    >
      {open && <Review machine={machine} open={open} {...rest} />}
    </Dialog>
  )
}

function Review({ machine, env, draft, onClose, reload }: ReviewEnvProps) {
  const [restart, setRestart] = useState(false)
  const [since, setSince] = useState<number | null>(null)
  const busy = since !== null
  const late = useLate(busy)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const rows = diffOf(draft, env)
  const overtaken = rows.some((row) => row.overtaken)
  const gone = draft.remove.filter((key) => env.fingerprints[key] === undefined)
  const why = whyNot(machine)
  const save = async () => {
    // What is on screen is what is saved over: the person has seen it.
    const wish = overtaken || gone.length > 0 ? rebase(draft, env) : draft
    setSince(Date.now())
    setProblem(null)
    try {
      const { message } = await callAgent(machine.id, 'env.set', { ...asCall(wish), restart })
      dropDraft(machine.id)
      toast({ title: `Saved on ${machine.name}`, detail: message, id: `env:${machine.id}` })
      onClose()
      await reload()
    } catch (error) {
      setProblem(problemOf(error))
      // Someone was faster: what they wrote is fetched, and the diff is made anew. Nothing typed is lost.
      await reload()
      if (wish !== draft) changeDraft(machine.id, () => wish)
    } finally {
      setSince(null)
    }
  }
  return (
    <div className={styles.form}>
      <ul className={styles.diff} aria-label="Changes" data-testid="env-diff">
        {rows.map((row) => (
          <Line key={row.key} row={row} />
        ))}
        {rows.length === 0 && <li className={styles.diffRow}>Nothing differs from what is there now.</li>}
      </ul>
      <Check
        checked={restart}
        onChange={setRestart}
        testId="env-restart"
        hint="Workers drain first. Without it, services see the new values when they next restart."
      >
        Restart the services after saving
      </Check>
      {problem !== null && <ErrorText problem={problem} />}
      {late && since !== null && (
        <Progress
          label={restart ? 'Saving, draining and restarting the services' : 'Saving'}
          since={since}
          wayOut={{ title: 'Leave it to the machine', run: onClose }}
        />
      )}
      <DialogActions>
        <Button disabled={busy} onClick={onClose}>
          Keep editing
        </Button>
        <Button
          variant="primary"
          busy={busy}
          disabled={why !== undefined || rows.length === 0}
          title={why}
          data-testid="env-save"
          onClick={() => void save()}
        >
          {overtaken ? 'Save over it' : restart ? 'Save and restart' : 'Save'}
        </Button>
      </DialogActions>
    </div>
  )
}

const marks = { added: '+', changed: '~', removed: '−' } as const

function Line({ row }: { row: DiffRow }) {
  const [shown, setShown] = useState(false)
  const after = row.sensitive && !shown ? '••••••••' : (row.after ?? '')
  return (
    <li className={styles.diffRow} data-kind={row.kind} data-key={row.key}>
      <span className={styles.mark} aria-hidden>
        {marks[row.kind]}
      </span>
      <span>
        {row.key} <span className="visually-hidden">{row.kind}</span>
      </span>
      <span className={styles.values}>
        {row.kind !== 'added' && <del>{row.before ?? 'a value that stays on the machine'}</del>}
        {row.kind === 'changed' && ' → '}
        {row.after !== null && <ins>{after === '' ? '(empty)' : after}</ins>}{' '}
        {row.sensitive && row.after !== null && (
          <button type="button" className={styles.machineName} onClick={() => setShown(!shown)}>
            {shown ? 'Hide' : 'Show what I typed'}
          </button>
        )}
      </span>
      {row.overtaken && (
        <span className={styles.overtaken} data-testid="env-overtaken">
          Someone else changed this after you began. On the left is what is there now.
        </span>
      )}
    </li>
  )
}
