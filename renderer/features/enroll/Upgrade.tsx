import { useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { compareVersions } from '../../../shared/domain/versions.ts'
import { useApp } from '../../app/app.store.ts'
import { call } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { useStillOpen } from '../../app/useStillOpen.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { toast } from '../../ui/Toast.tsx'
import styles from '../fleet/Fleet.module.css'
import { useMachine } from '../fleet/fleet.store.ts'
import { Steps } from './Steps.tsx'
import { useSteps } from './useSteps.ts'

const upgradeSteps = ['connect', 'check', 'node', 'copy', 'service', 'verify'] as const

export const openUpgrade = (machine: MachineView) => useUi.setState({ open: 'upgrade', about: machine.id })

/** Brings a machine's agent to this console's version, and shows each step. */
export function Upgrade() {
  const about = useUi((state) => (state.open === 'upgrade' ? state.about : null))
  const machine = useMachine(about)
  return (
    <Dialog
      open={machine !== undefined}
      onClose={() => show('none')}
      title={`Update the agent of ${machine?.name ?? ''}`}
      description="Over SSH. The agent starts anew: its browser, its terminals and what is streamed end for a moment. If the new one does not answer, the one from before is put back."
    >
      {machine !== undefined && <UpgradeForm machine={machine} />}
    </Dialog>
  )
}

function UpgradeForm({ machine }: { machine: MachineView }) {
  const ours = useApp((state) => state.info?.version ?? '')
  const { busy, problem, onSubmit } = useAsking()
  const { steps, begin } = useSteps()
  const stillOpen = useStillOpen()
  const [downgrade, setDowngrade] = useState(false)
  const isOlder = machine.agentVersion !== null && compareVersions(machine.agentVersion, ours) > 0
  const update = async () => {
    const enrollId = begin()
    const updated = await call('enroll.upgrade', { enrollId, machineId: machine.id, downgrade })
    toast({ title: `${updated.name} has the agent ${updated.agentVersion}`, id: `upgrade:${machine.id}` })
    if (stillOpen()) show('none')
  }
  const shown = steps.map((step) => (step.detail === problem?.detail ? { ...step, detail: '' } : step))
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', update)} noValidate>
      <p className={styles.wide} data-testid="upgrade-versions">
        {machine.agentVersion ?? 'An unknown version'} on the machine, {ours} with this console.
      </p>
      {isOlder && (
        <label className={styles.wide}>
          <input
            type="checkbox"
            checked={downgrade}
            data-testid="upgrade-downgrade"
            onChange={(event) => setDowngrade(event.target.checked)}
          />{' '}
          Put the older one in the newer one’s place
        </label>
      )}
      {steps.length > 0 && (
        <div className={styles.wide}>
          <Steps all={upgradeSteps} steps={shown} />
        </div>
      )}
      {problem !== null && (
        <div className={styles.wide}>
          <ErrorText problem={problem} />
        </div>
      )}
      <DialogActions>
        <Button onClick={() => show('none')}>{busy === null ? 'Cancel' : 'Close'}</Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy !== null}
          disabled={isOlder && !downgrade}
          data-testid="upgrade-submit"
        >
          {busy === null ? 'Update agent' : 'Updating…'}
        </Button>
      </DialogActions>
    </form>
  )
}
