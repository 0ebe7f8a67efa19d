import { type FormEvent, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
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
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = checkProvider(machineType, typed)
    setMistakes(found)
    if (busy || name.trim() === '' || Object.keys(found).length > 0) return
    setBusy(true)
    setProblem(null)
    try {
      const provider = toProvider(machineType, typed) ?? null
      await call('fleet.update', { machineId: machine.id, name: name.trim(), environment, machineType, provider })
      show('none')
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
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
      <div className={styles.wide}>
        {problem !== null && <ErrorText problem={problem} />}
        <DialogActions>
          <Button onClick={() => show('none')}>Cancel</Button>
          <Button type="submit" variant="primary" busy={busy} data-testid="edit-submit">
            Save
          </Button>
        </DialogActions>
      </div>
    </form>
  )
}
