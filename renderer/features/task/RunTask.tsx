import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { useMachine } from '../fleet/fleet.store.ts'
import { RunCommand } from './RunCommand.tsx'
import { RunJob } from './RunJob.tsx'
import styles from './Task.module.css'

/** Runs a command on a machine, or starts a job in its browser. */
export function RunTask() {
  const about = useUi((state) => (state.open === 'run-task' ? state.about : null))
  const machine = useMachine(about)
  return (
    <Dialog
      open={machine !== undefined}
      onClose={() => show('none')}
      wide
      title={`Run a task on ${machine?.name ?? ''}`}
      description="What you run goes into the machine’s audit with your name."
    >
      {machine !== undefined && <Task key={machine.id} machine={machine} />}
    </Dialog>
  )
}

const kinds = { command: 'Command', job: 'Job application' } as const

function Task({ machine }: { machine: MachineView }) {
  const [kind, setKind] = useState<keyof typeof kinds>('command')
  return (
    <div className={styles.task}>
      <div className={styles.kinds} role="radiogroup" aria-label="Kind of task">
        {(Object.keys(kinds) as (keyof typeof kinds)[]).map((one) => (
          <Button
            key={one}
            role="radio"
            aria-checked={kind === one}
            className={styles.kind}
            data-testid={`task-${one}`}
            onClick={() => setKind(one)}
          >
            {kinds[one]}
          </Button>
        ))}
      </div>
      {kind === 'command' ? <RunCommand machine={machine} /> : <RunJob machine={machine} />}
    </div>
  )
}
