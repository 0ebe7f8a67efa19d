import { HardDriveDownload, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { TunnelTestLink } from '../../../shared/ipc.ts'
import { useApp } from '../../app/app.store.ts'
import { call } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { FormProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import styles from './Fleet.module.css'
import { useFleet } from './fleet.store.ts'
import { MachineFields } from './MachineFields.tsx'
import {
  blankMachine,
  checkMachine,
  checkSecret,
  checkTunnel,
  type Mistakes,
  type NewMachine,
  toParams,
  toTunnel,
} from './newMachine.ts'
import { checkProvider, type ProviderMistakes } from './providerForm.ts'
import { TunnelTest } from './TunnelTest.tsx'
import { useAddMachine } from './useAddMachine.ts'

/** Adds a machine whose agent is running. What was typed survives a failure. */
export function AddMachine() {
  const open = useUi((state) => state.open === 'add-machine')
  return (
    <Dialog
      open={open}
      onClose={() => show('none')}
      title="Add a machine"
      wide
      description="Its agent must be running, and this computer must have a way to it."
    >
      <AddMachineForm />
    </Dialog>
  )
}

/** Empty, or with what a search found. */
function startingFrom(): NewMachine {
  const { suggested } = useUi.getState()
  if (suggested === null) return blankMachine
  const { name, host, provider } = suggested
  return { ...blankMachine, name, host, sshHost: host, provider, machineType: 'ec2', tunnel: 'ssh' }
}

function AddMachineForm() {
  const [typed, setTyped] = useState<NewMachine>(startingFrom)
  const [wrong, setWrong] = useState<ProviderMistakes>({})
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const { busy, problem, ask, onSubmit } = useAsking<'test' | 'add'>()
  const [links, setLinks] = useState<readonly TunnelTestLink[] | null>(null)
  useEffect(() => useUi.setState({ suggested: null }), [])
  const addMachine = useAddMachine()
  const keychain = useApp((state) => state.info?.keychain)

  const change = <Key extends keyof NewMachine>(key: Key, value: NewMachine[Key]) => {
    setTyped({ ...typed, [key]: value })
    setMistakes(({ [key]: _mended, ...rest }) => rest)
    if (key !== 'name' && key !== 'environment' && key !== 'machineType') setLinks(null)
  }
  const test = async () => {
    const found: Mistakes = checkTunnel(typed)
    const wrong = typed.secret.trim() === '' ? undefined : checkSecret(typed.secret)
    if (wrong !== undefined) found.secret = wrong
    setMistakes(found)
    setLinks(null)
    if (Object.keys(found).length > 0) return
    const secret = typed.secret.trim() === '' ? {} : { secret: typed.secret }
    setLinks((await call('tunnels.test', { tunnel: toTunnel(typed), ...secret })).links)
  }
  const add = async () => {
    const names = Object.values(useFleet.getState().machines).map((machine) => machine.name)
    const found = checkMachine(typed, names)
    const provider = checkProvider(typed.machineType, typed.provider)
    setMistakes(found)
    setWrong(provider)
    if (Object.keys(found).length + Object.keys(provider).length > 0) return
    await addMachine(toParams(typed))
  }
  const text = (key: 'name' | 'secret') => ({
    value: typed[key],
    onChange: (event: { target: { value: string } }) => change(key, event.target.value),
    'data-testid': `machine-${key}`,
  })

  return (
    <form className={styles.form} onSubmit={onSubmit('add', add)} noValidate>
      <div className={styles.ways}>
        <span>Or have it done:</span>
        <Button
          icon={<HardDriveDownload size={15} aria-hidden />}
          data-testid="go-enroll"
          onClick={() => show('enroll')}
        >
          Install the agent over SSH…
        </Button>
        <Button icon={<Search size={15} aria-hidden />} data-testid="go-discover" onClick={() => show('discover')}>
          Find in EC2…
        </Button>
      </div>
      <div className={styles.wide}>
        <Field label="Name" error={mistakes.name}>
          {(control) => <Input {...control} {...text('name')} placeholder="prod-08" />}
        </Field>
      </div>
      <MachineFields typed={typed} mistakes={mistakes} wrong={wrong} change={change} />
      <div className={styles.wide}>
        <Field
          label="Agent secret"
          error={mistakes.secret}
          hint={
            keychain === undefined || keychain.state === 'ready'
              ? 'Goes into this computer’s keychain, and nowhere else.'
              : keychain.detail
          }
        >
          {(control) => <Input {...control} {...text('secret')} type="password" />}
        </Field>
      </div>
      {links !== null && <TunnelTest links={links} />}
      {problem !== null && (
        <div className={styles.wide}>
          <FormProblem problem={problem} />
        </div>
      )}
      <DialogActions>
        <Button onClick={() => void ask('test', test)} busy={busy === 'test'} data-testid="machine-test">
          {busy === 'test' ? 'Trying the way…' : 'Test connection'}
        </Button>
        <Button onClick={() => show('none')}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy === 'add'} data-testid="machine-submit">
          {busy === 'add' ? 'Asking the agent…' : 'Add machine'}
        </Button>
      </DialogActions>
    </form>
  )
}
