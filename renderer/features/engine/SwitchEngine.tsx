import { type FormEvent, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useBusy } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { driverOf, driverTitle, type EngineState } from './engine.store.ts'
import { type ChoiceName, choices, switchEngine, switchKey } from './operations.ts'

interface SwitchEngineProps {
  machine: MachineView
  state: EngineState
  open: boolean
  onClose: () => void
}

/** Which engine is to go on, and why. */
export function SwitchEngine({ machine, state, open, onClose }: SwitchEngineProps) {
  const now = driverOf(state)
  const first = (Object.keys(choices) as ChoiceName[]).find((name) => name !== now) ?? 'magnitude'
  const [chosen, setChosen] = useState<ChoiceName | null>(null)
  const [reason, setReason] = useState('')
  const busy = useBusy(switchKey(machine))
  const name = chosen ?? first
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() === '') return
    if (await switchEngine(machine, name, reason.trim())) {
      setReason('')
      setChosen(null)
      onClose()
    }
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Switch the engine of ${machine.name}`}
      description={
        state.engine === 'none'
          ? 'No engine is connected. The page stays as it is.'
          : `${driverTitle(state)} drives now and makes way. The page stays as it is; its memory of what it did does not.`
      }
    >
      <form onSubmit={submit} style={{ display: 'contents' }}>
        <Field label="Engine">
          {(control) => <Select {...control} value={name} options={choices} onChange={setChosen} />}
        </Field>
        <Field label="Reason" hint="It stands in the history and in the audit.">
          {(control) => (
            <Input
              {...control}
              value={reason}
              maxLength={500}
              placeholder="It does not see the form"
              data-testid="switch-reason"
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            busy={busy}
            disabled={reason.trim() === ''}
            data-testid="switch-submit"
          >
            {driverOf(state) === name ? 'Connect it anew' : 'Switch'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
