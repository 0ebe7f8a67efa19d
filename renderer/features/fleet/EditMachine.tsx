import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { FormProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import styles from './Fleet.module.css'
import { useFleet, useMachine } from './fleet.store.ts'
import { MachineFields } from './MachineFields.tsx'
import { checkKept, fromMachine, type Mistakes, type NewMachine, toTunnel } from './newMachine.ts'
import { checkProvider, type ProviderMistakes, toProvider } from './providerForm.ts'

/** Changes what was said of a machine; the machine itself is not touched. */
export function EditMachine() {
  const about = useUi((state) => (state.open === 'edit-machine' ? state.about : null))
  const machine = useMachine(about)
  return (
    <Dialog
      open={machine !== undefined}
      onClose={() => show('none')}
      title={`Edit ${machine?.name ?? ''}`}
      wide
      description="A new way to it is used at once. The machine itself goes on as it is."
    >
      {machine !== undefined && <EditForm machine={machine} />}
    </Dialog>
  )
}

function EditForm({ machine }: { machine: MachineView }) {
  const [typed, setTyped] = useState(() => fromMachine(machine))
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const [wrong, setWrong] = useState<ProviderMistakes>({})
  const { busy, problem, onSubmit } = useAsking()
  const change = <Key extends keyof NewMachine>(key: Key, value: NewMachine[Key]) => {
    setTyped({ ...typed, [key]: value })
    setMistakes(({ [key]: _mended, ...rest }) => rest)
  }
  const save = async () => {
    const { name, environment, machineType } = typed
    const others = Object.values(useFleet.getState().machines).filter(({ id }) => id !== machine.id)
    const found = checkKept(
      typed,
      others.map((other) => other.name),
    )
    const provider = checkProvider(machineType, typed.provider)
    setMistakes(found)
    setWrong(provider)
    if (Object.keys(found).length + Object.keys(provider).length > 0) return
    await call('fleet.update', {
      machineId: machine.id,
      name: name.trim(),
      environment,
      machineType,
      tunnel: toTunnel(typed),
      provider: toProvider(machineType, typed.provider) ?? null,
    })
    show('none')
  }
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', save)} noValidate>
      <div className={styles.wide}>
        <Field label="Name" error={mistakes.name}>
          {(control) => (
            <Input
              {...control}
              value={typed.name}
              data-testid="edit-name"
              onChange={(event) => change('name', event.target.value)}
            />
          )}
        </Field>
      </div>
      <MachineFields typed={typed} mistakes={mistakes} wrong={wrong} change={change} />
      {problem !== null && (
        <div className={styles.wide}>
          <FormProblem problem={problem} />
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
