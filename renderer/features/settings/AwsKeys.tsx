import { type FormEvent, useState } from 'react'
import { call } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import styles from './Settings.module.css'

const blank = { name: '', accessKeyId: '', secretAccessKey: '' }

/** The one place where keys of AWS are typed in. Profiles need nothing here. */
export function AwsKeys({ onKept }: { onKept: () => void }) {
  const [typed, setTyped] = useState(blank)
  const busy = useBusy('aws-keys')
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
    onKept()
  }
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
    <Card title="Add AWS keys" aside="profiles of the AWS command line need nothing here">
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
