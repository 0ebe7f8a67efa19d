import { useState } from 'react'
import type { IpcResult } from '../../../shared/ipc.ts'
import { CallFailed, call } from '../../app/bridge.ts'
import { show, useUi } from '../../app/ui.store.ts'
import { useAsking } from '../../app/useAsking.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { FormProblem } from '../../ui/ErrorText.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import styles from './Fleet.module.css'
import { AccountFields } from './ProviderFields.tsx'
import { blankProvider, checkAccount, type ProviderMistakes, type TypedProvider, toAccount } from './providerForm.ts'

type Instance = IpcResult<'discover.ec2'>['instances'][number]

/** Looks for instances by their tag, and takes one over into the form that adds a machine. */
export function Discover() {
  const open = useUi((state) => state.open === 'discover')
  return (
    <Dialog
      open={open}
      onClose={() => show('none')}
      title="Find machines in EC2"
      wide
      description="By the tag that your machines carry."
    >
      <DiscoverForm />
    </Dialog>
  )
}

function DiscoverForm() {
  const [typed, setTyped] = useState<TypedProvider>(blankProvider)
  const [tag, setTag] = useState({ key: 'fleet', value: '' })
  const [mistakes, setMistakes] = useState<ProviderMistakes>({})
  const [found, setFound] = useState<readonly Instance[] | null>(null)
  const { busy, problem, setProblem, onSubmit } = useAsking()
  const search = async () => {
    const wrong = checkAccount(typed)
    setMistakes(wrong)
    if (tag.key.trim() === '' || Object.keys(wrong).length > 0) return
    try {
      setFound((await call('discover.ec2', { account: toAccount(typed), tag })).instances)
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      // The usual titles speak of machines and their agents; this one is Amazon's.
      setProblem({ ...error.problem, title: 'EC2 could not be searched' })
    }
  }
  const choose = (instance: Instance) => {
    useUi.setState({
      open: 'add-machine',
      suggested: {
        name: instance.name,
        host: instance.privateIp ?? instance.publicIp ?? '',
        provider: { ...typed, instanceId: instance.instanceId },
      },
    })
  }
  return (
    <form className={styles.form} onSubmit={onSubmit('submit', search)} noValidate>
      <AccountFields typed={typed} mistakes={mistakes} change={(changed) => setTyped({ ...typed, ...changed })} />
      <Field label="Tag" error={tag.key.trim() === '' ? 'Which tag?' : undefined}>
        {(control) => (
          <Input
            {...control}
            value={tag.key}
            data-testid="discover-key"
            onChange={(event) => setTag({ ...tag, key: event.target.value })}
          />
        )}
      </Field>
      <Field label="Value" hint="Empty takes every value.">
        {(control) => (
          <Input
            {...control}
            value={tag.value}
            data-testid="discover-value"
            onChange={(event) => setTag({ ...tag, value: event.target.value })}
          />
        )}
      </Field>
      {problem !== null && (
        <div className={styles.wide}>
          <FormProblem problem={problem} />
        </div>
      )}
      {found !== null && (
        <div className={styles.wide}>
          <Found instances={found} onChoose={choose} />
        </div>
      )}
      <DialogActions>
        <Button onClick={() => show('add-machine')}>Back</Button>
        <Button type="submit" variant="primary" busy={busy !== null} data-testid="discover-submit">
          {busy !== null ? 'Asking EC2…' : 'Search'}
        </Button>
      </DialogActions>
    </form>
  )
}

function Found({ instances, onChoose }: { instances: readonly Instance[]; onChoose: (instance: Instance) => void }) {
  if (instances.length === 0) return <p role="status">No instance carries that tag in this region.</p>
  return (
    <ul className={styles.found} aria-label="Instances" data-testid="discovered">
      {instances.map((instance) => (
        <li key={instance.instanceId}>
          <span>
            <strong>{instance.name}</strong> {instance.instanceId} · {instance.state}
            {instance.instanceType !== null && ` · ${instance.instanceType}`}
          </span>
          {instance.machineId === null ? (
            <Button onClick={() => onChoose(instance)}>Add…</Button>
          ) : (
            <span>in the fleet</span>
          )}
        </li>
      ))}
    </ul>
  )
}
