import { useEffect, useState } from 'react'
import { enrollSteps } from '../../../shared/domain/enroll-steps.ts'
import type { RunningEnrollment } from '../../../shared/ipc-power.ts'
import { call, onIpcEvent } from '../../app/bridge.ts'
import { Button } from '../../ui/Button.tsx'
import styles from './Steps.module.css'
import { Steps } from './Steps.tsx'

/** The installations that are under way, whichever window began them; followed while someone looks. */
export function useRunning(looking: boolean): readonly RunningEnrollment[] {
  const [running, setRunning] = useState<readonly RunningEnrollment[]>([])
  useEffect(() => {
    if (!looking) return
    let heard = false
    const stop = onIpcEvent('enroll.changed', ({ running: now }) => {
      heard = true
      setRunning(now)
    })
    // An event is newer than this answer.
    void call('enroll.running', {}).then((answer) => !heard && setRunning(answer.running))
    return () => {
      heard = true
      stop()
      setRunning([])
    }
  }, [looking])
  return running
}

/** Each with its steps, and the way to stop it. */
export function Running({ running }: { running: readonly RunningEnrollment[] }) {
  return (
    <section className={styles.running} aria-label="Installations under way" data-testid="enroll-running">
      {running.map(({ enrollId, name, host, stopping, steps }) => (
        <div key={enrollId}>
          <span>
            <strong>{name}</strong>: the agent is being installed on {host}
          </span>
          <StopEnrollment enrollId={enrollId} stopping={stopping} />
          <Steps all={enrollSteps} steps={steps} />
        </div>
      ))}
    </section>
  )
}

/** It ends after the step that is under way, and takes away what was installed. */
export function StopEnrollment({ enrollId, stopping }: { enrollId: string; stopping: boolean }) {
  return (
    <Button busy={stopping} onClick={() => void call('enroll.cancel', { enrollId })} data-testid="enroll-stop">
      {stopping ? 'Stopping…' : 'Stop and undo'}
    </Button>
  )
}
