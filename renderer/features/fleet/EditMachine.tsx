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
import { environmentNames, machineTypeNames } from '../machine/look.ts'
import styles from './Fleet.module.css'
import { useMachine } from './fleet.store.ts'
import { ProviderFields } from './ProviderFields.tsx'
import { checkProvider, fromProvider, type ProviderMistakes, toProvider } from './providerForm.ts'

/** Changes what was said of a machine; the machine itself is not touched. */
export function EditMachine() {
  const about = useUi((state) => (state.open === 'edit-machine' ? state.about : null))
  const machine = useMachine(about)
  return (
    <Dialog open={machine !== undefined} onClose={() => show('none')} title={`Edit ${machine?.name ?? ''}`}>
      {machine !== undefined && <EditForm machine={machine} />}
    </Dialog>
  )
}

function EditForm({ machine }: { machine: MachineView }) {
  const [name, setName] = useState(machine.name)
  const [environment, setEnvironment] = useState(machine.environment)
  const [machineType, setMachineType] = useState(machine.machineType)
  const [typed, setTyped] = useState(fromProvider(machine.provider))
  const [mistakes, setMistakes] = useState<ProviderMistakes>({})
  const { busy, problem, onSubmit } = useAsking()
  const save = async () => {
    const found = checkProvider(machineType, typed)
    setMistakes(found)
    if (name.trim() === '' || Object.keys(found).length > 0) return
    const provider = toProvider(machineType, typed) ?? null
    await call('fleet.update', { machineId: machine.id, name: name.trim(), environment, machineType, provider })
    show('none')
  }
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', save)} noValidate>
      <div className={styles.wide}>
        <Field label="Name" error={name.trim() === '' ? 'Give it a name.' : undefined}>
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={100}
              data-testid="edit-name"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Field label="Environment">
        {(control) => <Select {...control} value={environment} options={environmentNames} onChange={setEnvironment} />}
      </Field>
      <Field label="Type">
        {(control) => <Select {...control} value={machineType} options={machineTypeNames} onChange={setMachineType} />}
      </Field>
      <ProviderFields
        kind={machineType}
        typed={typed}
        mistakes={mistakes}
        change={(changed) => setTyped({ ...typed, ...changed })}
      />
      {problem !== null && (
        <div className={styles.wide}>
          <ErrorText problem={problem} />
        </div>
      )}
      <DialogActions>
        <Button onClick={() => show('none')}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy !== null} data-testid="edit-submit">
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
