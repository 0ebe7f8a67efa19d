import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { useMachine } from '../fleet/fleet.store.ts'
import styles from './Power.module.css'

const choices = { off: 'Off', on: 'On' } as const

/** Whether a machine is stopped when nothing happens on it, and after how long. */
export function AutoStopDialog() {
  const about = useUi((state) => (state.open === 'auto-stop' ? state.about : null))
  const machine = useMachine(about)
  return (
    <Dialog
      open={machine !== undefined}
      onClose={() => show('none')}
      title={`Auto-stop of ${machine?.name ?? ''}`}
      description="Idle is: no active job, no open terminal, nobody in control, no deploy. Whoever has this console open is warned five minutes before, and can keep it up."
    >
      {machine !== undefined && <AutoStopForm machine={machine} />}
    </Dialog>
  )
}

function AutoStopForm({ machine }: { machine: MachineView }) {
  const [enabled, setEnabled] = useState<keyof typeof choices>(machine.autoStop.enabled ? 'on' : 'off')
  const [minutes, setMinutes] = useState(String(machine.autoStop.idleMinutes))
  const { busy, problem, onSubmit } = useAsking()
  const idleMinutes = Number(minutes)
  const mistake =
    /^\s*\d+\s*$/.test(minutes) && idleMinutes >= 5 && idleMinutes <= 1440 ? undefined : '5 to 1440 minutes.'
  const save = async () => {
    if (mistake !== undefined) return
    await call('autostop.set', { machineId: machine.id, enabled: enabled === 'on', idleMinutes })
    show('none')
  }
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', save)} noValidate>
      <Field label="Stop it when it is idle">
        {(control) => <Select {...control} value={enabled} options={choices} onChange={setEnabled} />}
      </Field>
      <Field label="After so many idle minutes" error={mistake}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={minutes}
            data-testid="idle-minutes"
            onChange={(event) => setMinutes(event.target.value)}
          />
        )}
      </Field>
      {problem !== null && <ErrorText problem={problem} />}
      <DialogActions>
        <Button onClick={() => show('none')}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy !== null} data-testid="auto-stop-submit">
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
