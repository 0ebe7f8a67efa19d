import { useState } from 'react'
import { enrollSteps } from '../../../shared/domain/enroll-steps.ts'
import type { IpcParams } from '../../../shared/ipc.ts'
import type { RunningEnrollment, UnfinishedEnrollment } from '../../../shared/ipc-power.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { useStillOpen } from '../../app/useStillOpen.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from '../fleet/Fleet.module.css'
import { useFleet } from '../fleet/fleet.store.ts'
import { blankMachine, checkMachine, type Mistakes, toTunnel } from '../fleet/newMachine.ts'
import { environmentNames, machineTypeNames } from '../machine/look.ts'
import { enroll, sayTheyGoOn } from './operations.ts'
import { Running, StopEnrollment, useRunning } from './Running.tsx'
import { Steps } from './Steps.tsx'
import { Unfinished, useUnfinished } from './Unfinished.tsx'
import { useSteps } from './useSteps.ts'

/** Installs the agent over SSH, shows each step, and adds the machine. */
export function Enroll() {
  const open = useUi((state) => state.open === 'enroll')
  const running = useRunning(open)
  const close = () => {
    show('none')
    sayTheyGoOn(running)
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Install the agent over SSH"
      description="As root, or as a user with sudo. What fails can be gone on with or undone; stopping it undoes it."
    >
      <EnrollForm underWay={running} />
    </Dialog>
  )
}

function EnrollForm({ underWay }: { underWay: readonly RunningEnrollment[] }) {
  const [typed, setTyped] = useState({ ...blankMachine, tunnel: 'ssh' as const })
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const { busy, problem, ask, onSubmit } = useAsking()
  const [running, setRunning] = useState<string | null>(null)
  const { steps, begin } = useSteps()
  const { unfinished, read } = useUnfinished(underWay)
  const stillOpen = useStillOpen()
  // That it has ended may be heard here before the list says so: it is not another one for that moment.
  const ownId = running ?? steps[0]?.enrollId
  const own = underWay.find(({ enrollId }) => enrollId === ownId)
  const others = underWay.filter((one) => one !== own)
  const change = (changed: Partial<typeof typed>) => setTyped({ ...typed, ...changed })
  const install = async () => {
    const names = Object.values(useFleet.getState().machines).map((machine) => machine.name)
    const { secret: _made, ...found } = checkMachine(typed, names)
    setMistakes(found)
    if (Object.keys(found).length > 0) return
    const { environment, machineType } = typed
    await run({ name: typed.name.trim(), environment, machineType, ssh: toTunnel(typed) })
  }
  const run = async (wish: Omit<IpcParams<'enroll.start'>, 'enrollId'>) => {
    const enrollId = begin()
    setRunning(enrollId)
    await enroll({ ...wish, enrollId }, stillOpen).finally(() => setRunning(null))
  }
  const goOn = ({ name, environment, machineType, provider, ssh }: UnfinishedEnrollment) =>
    void ask('submit', () => run({ name, environment, machineType, ...(provider && { provider }), ssh }))
  const toldAbove = running === null && unfinished.some(({ detail }) => detail === problem?.detail)
  // What is told in full elsewhere need not be told beside its step as well.
  const shown = steps.map((step) => (step.detail === problem?.detail ? { ...step, detail: '' } : step))
  const text = (key: 'name' | 'sshHost' | 'sshUser' | 'sshPort', placeholder: string) => ({
    value: typed[key],
    placeholder,
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
    'data-testid': `enroll-${key}`,
  })
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', install)} noValidate>
      {others.length > 0 && (
        <div className={styles.wide}>
          <Running running={others} />
        </div>
      )}
      {running === null && unfinished.length > 0 && (
        <div className={styles.wide}>
          <Unfinished unfinished={unfinished} disabled={busy !== null} goOn={goOn} changed={read} />
        </div>
      )}
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
          <Steps all={enrollSteps} steps={shown} />
        </div>
      )}
      {problem !== null && !toldAbove && (
        <div className={styles.wide}>
          <ErrorText problem={problem} />
        </div>
      )}
      <DialogActions>
        {running === null ? (
          <Button onClick={() => show('add-machine')}>Back</Button>
        ) : (
          <StopEnrollment enrollId={running} stopping={own?.stopping === true} />
        )}
        <Button type="submit" variant="primary" busy={busy !== null} data-testid="enroll-submit">
          {running === null ? 'Install and add' : 'Installing…'}
        </Button>
      </DialogActions>
    </form>
  )
}
