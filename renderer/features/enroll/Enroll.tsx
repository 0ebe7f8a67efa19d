import { useEffect, useState } from 'react'
import type { IpcEventData } from '../../../shared/ipc.ts'
import { call, onIpcEvent } from '../../app/bridge.ts'
import { go } from '../../app/route.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from '../fleet/Fleet.module.css'
import { useFleet } from '../fleet/fleet.store.ts'
import { blankMachine, checkMachine, type Mistakes, toTunnel } from '../fleet/newMachine.ts'
import { environmentNames, machineTypeNames } from '../machine/look.ts'
import { Steps } from './Steps.tsx'

type Step = IpcEventData<'enroll.step'>

/** Installs the agent over SSH, shows each step, and adds the machine. */
export function Enroll() {
  const open = useUi((state) => state.open === 'enroll')
  return (
    <Dialog
      open={open}
      onClose={() => show('none')}
      title="Install the agent over SSH"
      description="As root, or as a user with sudo. What is installed is removed again when a step fails."
    >
      <EnrollForm />
    </Dialog>
  )
}

function EnrollForm() {
  const [typed, setTyped] = useState({ ...blankMachine, tunnel: 'ssh' as const })
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const { busy, problem, onSubmit } = useAsking()
  const [running, setRunning] = useState<string | null>(null)
  const [steps, setSteps] = useState<readonly Step[]>([])
  useEffect(
    () =>
      onIpcEvent('enroll.step', (step) =>
        setSteps((before) => [
          ...before.filter((one) => one.step !== step.step || one.enrollId !== step.enrollId),
          step,
        ]),
      ),
    [],
  )
  const change = (changed: Partial<typeof typed>) => setTyped({ ...typed, ...changed })
  const install = async () => {
    const names = Object.values(useFleet.getState().machines).map((machine) => machine.name)
    const { secret: _made, ...found } = checkMachine(typed, names)
    setMistakes(found)
    setSteps([])
    if (Object.keys(found).length > 0) return
    const enrollId = crypto.randomUUID()
    setRunning(enrollId)
    const { environment, machineType } = typed
    const wish = { enrollId, name: typed.name.trim(), environment, machineType, ssh: toTunnel(typed) }
    const machine = await call('enroll.start', wish).finally(() => setRunning(null))
    show('none')
    go({ screen: 'machine', machineId: machine.id, tab: 'live' })
  }
  // What is told in full below need not be told beside its step as well.
  const shown = steps.map((step) => (step.detail === problem?.detail ? { ...step, detail: '' } : step))
  const text = (key: 'name' | 'sshHost' | 'sshUser' | 'sshPort', placeholder: string) => ({
    value: typed[key],
    placeholder,
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
    'data-testid': `enroll-${key}`,
  })
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', install)} noValidate>
      <div className={styles.wide}>
        <Field label="Name" error={mistakes.name}>
          {(control) => <Input {...control} {...text('name', 'prod-08')} />}
        </Field>
      </div>
      <Field label="Environment">
        {(control) => (
          <Select
            {...control}
            value={typed.environment}
            options={environmentNames}
            onChange={(environment) => change({ environment })}
          />
        )}
      </Field>
      <Field label="Type">
        {(control) => (
          <Select
            {...control}
            value={typed.machineType}
            options={machineTypeNames}
            onChange={(machineType) => change({ machineType })}
          />
        )}
      </Field>
      <div className={styles.wide}>
        <Field label="SSH host" error={mistakes.sshHost} hint="A name from your SSH configuration, or an address.">
          {(control) => <Input {...control} {...text('sshHost', '10.4.1.53')} />}
        </Field>
      </div>
      <Field label="User" error={mistakes.sshUser}>
        {(control) => <Input {...control} {...text('sshUser', 'as configured')} />}
      </Field>
      <Field label="SSH port" error={mistakes.sshPort}>
        {(control) => <Input {...control} {...text('sshPort', '22')} inputMode="numeric" />}
      </Field>
      {steps.length > 0 && (
        <div className={styles.wide}>
          <Steps steps={shown} />
        </div>
      )}
      {problem !== null && (
        <div className={styles.wide}>
          <ErrorText problem={problem} />
        </div>
      )}
      <DialogActions>
        {running === null ? (
          <Button onClick={() => show('add-machine')}>Back</Button>
        ) : (
          <Button onClick={() => void call('enroll.cancel', { enrollId: running })}>Stop and undo</Button>
        )}
        <Button type="submit" variant="primary" busy={busy !== null} data-testid="enroll-submit">
          {running === null ? 'Install and add' : 'Installing…'}
        </Button>
      </DialogActions>
    </form>
  )
}
