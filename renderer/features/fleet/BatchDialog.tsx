import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import tones from '../../ui/StateDot.module.css'
import { type DotLook, StateDot } from '../../ui/StateDot.tsx'
import styles from './Batch.module.css'
import { type BatchItem, type BatchJob, cancelBatch, closeBatch, runBatch, useBatch } from './batch.store.ts'

const looks: Record<BatchItem['state'], DotLook> = {
  waiting: { tone: 'off', shape: 'square', hollow: true },
  running: { tone: 'engine', shape: 'round', pulsing: true },
  done: { tone: 'up', shape: 'round' },
  failed: { tone: 'broken', shape: 'diamond' },
  left: { tone: 'off', shape: 'square' },
}

function wordsOf(item: BatchItem | undefined): string {
  switch (item?.state) {
    case 'running':
      return 'under way'
    case 'done':
      return item.text
    case 'failed':
      return item.problem.detail
    case 'left':
      return 'not begun'
    case 'waiting':
      return 'waiting'
    default:
      return ''
  }
}

/** Asks before several machines are touched, then shows how it goes with each. */
export function BatchDialog() {
  const job = useBatch((state) => state.job)
  // Kept while the dialog fades, so that it does not empty before it goes.
  const [shown, setShown] = useState<BatchJob | null>(null)
  if (job !== null && job !== shown) setShown(job)
  if (shown === null) return null
  return (
    <Dialog open={job !== null} onClose={closeBatch} title={shown.title} description={shown.text} wide>
      <BatchBody job={shown} />
    </Dialog>
  )
}

function BatchBody({ job }: { job: BatchJob }) {
  const phase = useBatch((state) => state.phase)
  const items = useBatch((state) => state.items)
  const states = Object.values(items).map(({ state }) => state)
  const ended = states.filter((state) => state === 'done' || state === 'failed').length
  const failed = states.filter((state) => state === 'failed').length
  return (
    <>
      {job.machines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list longer than the dialog is scrolled by keyboard
        <ul className={styles.list} data-testid="batch-machines" tabIndex={0} aria-label="Machines">
          {job.machines.map(({ id, name }) => {
            const item = items[id]
            return (
              <li key={id} data-state={item?.state}>
                <StateDot {...looks[item?.state ?? 'waiting']} />
                <bdi className={styles.name}>{name}</bdi>
                <span className={item?.state === 'failed' ? tones.broken : styles.words}>{wordsOf(item)}</span>
              </li>
            )
          })}
        </ul>
      )}
      {job.leftOut.length > 0 && (
        <p className={styles.left}>
          Left out:{' '}
          {job.leftOut
            .slice(0, 5)
            .map(({ machine, reason }) => `${machine.name} (${reason})`)
            .join(', ')}
          {job.leftOut.length > 5 && ` and ${job.leftOut.length - 5} more`}.
        </p>
      )}
      {phase !== 'asking' && (
        <p role="status" data-testid="batch-status">
          {ended} of {job.machines.length} done{failed > 0 && `, ${failed} failed`}
        </p>
      )}
      <DialogActions>
        {phase === 'asking' && (
          <>
            <Button onClick={closeBatch}>Cancel</Button>
            <Button
              variant={job.danger ? 'danger' : 'primary'}
              disabled={job.machines.length === 0}
              data-testid="batch-go"
              onClick={() => void runBatch()}
            >
              {job.machines.length === 0 ? 'Nothing to do' : `${job.action} ${job.machines.length}`}
            </Button>
          </>
        )}
        {phase === 'running' && <Button onClick={cancelBatch}>Begin no more</Button>}
        {phase !== 'asking' && (
          <Button variant={phase === 'over' ? 'primary' : 'default'} data-testid="batch-close" onClick={closeBatch}>
            Close
          </Button>
        )}
      </DialogActions>
    </>
  )
}
