import { type FormEvent, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { startWorker } from './operations.ts'
import styles from './Workers.module.css'

const counts = { '1': '1', '2': '2', '3': '3', '4': '4', '5': '5' } as const

/** One more worker, from the image that is deployed. */
export function StartWorker({ machine, open, onClose }: { machine: MachineView; open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Start a worker on ${machine.name}`}
      description="It runs the image that is deployed there, with the variables of the machine."
    >
      {open && <StartForm machine={machine} onClose={onClose} />}
    </Dialog>
  )
}

function StartForm({ machine, onClose }: { machine: MachineView; onClose: () => void }) {
  const [id, setId] = useState('')
  const [jobs, setJobs] = useState<keyof typeof counts>('1')
  const busy = useBusy(`worker-start:${machine.id}`)
  const mistake =
    id === '' || /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id)
      ? undefined
      : 'Letters, digits, dot, dash and underscore; at most 64.'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || mistake !== undefined) return
    const wish = { maxConcurrentJobs: Number(jobs), ...(id === '' ? {} : { workerId: id }) }
    if (await startWorker(machine, wish)) onClose()
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Field label="Name" hint="Left empty, it gets the next free number." error={mistake}>
        {(control) => (
          <Input
            {...control}
            value={id}
            data-testid="worker-id"
            onChange={(event) => setId(event.target.value.trim())}
          />
        )}
      </Field>
      <Field label="Jobs at once">
        {(control) => <Select {...control} value={jobs} options={counts} onChange={setJobs} />}
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy} data-testid="worker-start-submit">
          Start
        </Button>
      </DialogActions>
    </form>
  )
}
