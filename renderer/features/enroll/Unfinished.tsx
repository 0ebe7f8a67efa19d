import { useCallback, useEffect, useState } from 'react'
import type { RunningEnrollment, UnfinishedEnrollment } from '../../../shared/ipc-power.ts'
import { call } from '../../app/bridge.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import styles from './Steps.module.css'

/** Installations that were broken off, now or in an earlier run; read again whenever one began or ended. */
export function useUnfinished(running: readonly RunningEnrollment[]) {
  const key = running.map(({ enrollId }) => enrollId).join()
  const [unfinished, setUnfinished] = useState<readonly UnfinishedEnrollment[]>([])
  const read = useCallback(async () => setUnfinished((await call('enroll.unfinished', {})).enrollments), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when
  useEffect(() => void read(), [key, read])
  return { unfinished, read }
}

interface UnfinishedProps {
  unfinished: readonly UnfinishedEnrollment[]
  disabled: boolean
  goOn: (one: UnfinishedEnrollment) => void
  changed: () => Promise<void>
}

/** Each can be gone on with or undone; nothing of it happens by itself. */
export function Unfinished({ unfinished, disabled, goOn, changed }: UnfinishedProps) {
  const { busy, problem, ask } = useAsking<string>()
  const undo = (one: UnfinishedEnrollment) =>
    ask(one.enrollId, async () => {
      await call('enroll.discard', { enrollId: one.enrollId })
      await changed()
    })
  if (unfinished.length === 0) return null
  return (
    <section className={styles.unfinished} aria-label="Unfinished installations" data-testid="enroll-unfinished">
      {unfinished.map((one) => (
        <div key={one.enrollId}>
          <span>
            <strong>{one.name}</strong> is not finished
            <small>{one.detail}</small>
          </span>
          <Button
            disabled={disabled || busy !== null}
            busy={busy === one.enrollId}
            onClick={() => void undo(one)}
            data-testid="enroll-discard"
          >
            Undo
          </Button>
          <Button disabled={disabled || busy !== null} onClick={() => goOn(one)} data-testid="enroll-go-on">
            Go on
          </Button>
        </div>
      ))}
      {problem !== null && <ErrorText problem={problem} />}
    </section>
  )
}
