import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { call } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { useMachine } from '../fleet/fleet.store.ts'
import { checkSecret } from '../fleet/newMachine.ts'
import styles from './Power.module.css'

/** A secret that is refused, or that no keychain kept, is typed in anew. */
export function SecretDialog() {
  const about = useUi((state) => (state.open === 'set-secret' ? state.about : null))
  const machine = useMachine(about)
  return (
    <Dialog
      open={machine !== undefined}
      onClose={() => show('none')}
      title={`The secret of ${machine?.name ?? ''}`}
      description="The agent printed it when it was installed; on the machine it stands in the agent's secret file."
    >
      {machine !== undefined && <SecretForm machine={machine} />}
    </Dialog>
  )
}

function SecretForm({ machine }: { machine: MachineView }) {
  const [secret, setSecret] = useState('')
  const { busy, problem, setProblem, onSubmit } = useAsking()
  const mistake = secret.trim() === '' ? undefined : checkSecret(secret)
  const set = async () => {
    if (checkSecret(secret) !== undefined) return
    const { problem: still } = await call('fleet.setSecret', { machineId: machine.id, secret })
    if (still === null) show('none')
    else setProblem({ ...still, title: 'It still cannot be verified' })
  }
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', set)} noValidate>
      <Field label="Agent secret" error={mistake}>
        {(control) => (
          <Input
            {...control}
            type="password"
            value={secret}
            data-testid="new-secret"
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </Field>
      {problem !== null && <ErrorText problem={problem} />}
      <DialogActions>
        <Button onClick={() => show('none')}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy !== null}
          disabled={checkSecret(secret) !== undefined}
          data-testid="new-secret-submit"
        >
          {busy !== null ? 'Asking the agent…' : 'Try it'}
        </Button>
      </DialogActions>
    </form>
  )
}
