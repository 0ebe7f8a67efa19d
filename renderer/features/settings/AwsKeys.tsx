import { Trash2 } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { call } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/Toast.tsx'
import styles from './Settings.module.css'

const blank = { name: '', accessKeyId: '', secretAccessKey: '' }

/** Keys of AWS: only that they are there, and since when. Profiles need nothing here. */
export function AwsKeys() {
  const [kept, setKept] = useState<readonly { name: string; since: string }[]>([])
  const [typed, setTyped] = useState(blank)
  const busy = useBusy('aws-keys')
  const reload = () =>
    call('aws.accounts', {}).then(
      ({ keys }) => setKept(keys),
      () => {},
    )
  useEffect(
    () =>
      void call('aws.accounts', {}).then(
        ({ keys }) => setKept(keys),
        () => {},
      ),
    [],
  )
  const complete = Object.values(typed).every((value) => value.trim() !== '')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!complete) return
    await work('aws-keys', 'Keeping the keys', async () => {
      const { kept: where } = await call('aws.setKeys', typed)
      setTyped(blank)
      toast({
        title: where === 'keychain' ? 'The keys are in the keychain' : 'The keys are kept for this run only',
        id: 'aws-keys',
      })
    })
    await reload()
  }
  const remove = (name: string) =>
    work(`aws-keys:${name}`, 'Removing the keys', async () => void (await call('aws.removeKeys', { name }))).then(
      reload,
    )
  const input = (key: keyof typeof blank, label: string, type = 'text') => (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type={type}
          value={typed[key]}
          data-testid={`aws-${key}`}
          onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <Card title="AWS keys">
      {kept.map(({ name, since }) => (
        <div key={name} className={styles.kept}>
          <span>{name}</span>
          <span>
            since <Age at={since} />
          </span>
          <IconButton
            label={`Remove ${name}`}
            icon={<Trash2 size={14} aria-hidden />}
            onClick={() => void remove(name)}
          />
        </div>
      ))}
      <form className={styles.form} onSubmit={submit} noValidate>
        {input('name', 'Name')}
        {input('accessKeyId', 'Access key id')}
        {input('secretAccessKey', 'Secret access key', 'password')}
        <Button type="submit" busy={busy} disabled={!complete} data-testid="aws-submit">
          Keep
        </Button>
      </form>
    </Card>
  )
}
