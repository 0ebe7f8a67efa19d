import { useEffect, useId, useState } from 'react'
import type { ProviderConfig } from '../../../shared/domain/power.ts'
import { call } from '../../app/bridge.ts'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from './Fleet.module.css'
import { credentialNames, type ProviderMistakes, type TypedProvider } from './providerForm.ts'

interface ProviderFieldsProps {
  kind: ProviderConfig['kind']
  typed: TypedProvider
  mistakes: ProviderMistakes
  change: (changed: Partial<TypedProvider>) => void
}

/** What has to be said of each kind of machine, so that it can be switched on and off. */
export function ProviderFields({ kind, typed, mistakes, change }: ProviderFieldsProps) {
  const text = (key: 'instanceId' | 'mac' | 'broadcast', placeholder: string) => ({
    value: typed[key],
    placeholder,
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
    'data-testid': `provider-${key}`,
  })
  if (kind === 'macos')
    return (
      <>
        <Field label="Hardware address" error={mistakes.mac} hint="For waking it over the network.">
          {(control) => <Input {...control} {...text('mac', 'a4:83:e7:00:11:22')} />}
        </Field>
        <Field label="Broadcast address" error={mistakes.broadcast} hint="Of its network, if it is another one.">
          {(control) => <Input {...control} {...text('broadcast', '192.168.1.255')} />}
        </Field>
      </>
    )
  if (kind !== 'ec2') return null
  return (
    <>
      <div className={styles.wide}>
        <Field label="Instance id" error={mistakes.instanceId} hint="Without it the console cannot start or stop it.">
          {(control) => <Input {...control} {...text('instanceId', 'i-0abc123def4567890')} />}
        </Field>
      </div>
      <AccountFields typed={typed} mistakes={mistakes} change={change} />
    </>
  )
}

/** Region, credentials and endpoint of AWS. */
export function AccountFields({ typed, mistakes, change }: Omit<ProviderFieldsProps, 'kind'>) {
  const [known, setKnown] = useState<{ profiles: string[]; keys: { name: string }[] }>({ profiles: [], keys: [] })
  const names = useId()
  useEffect(() => {
    // Suggestions only: without them the name can still be typed.
    call('aws.accounts', {}).then(setKnown, () => {})
  }, [])
  const suggestions = typed.credentials === 'profile' ? known.profiles : known.keys.map(({ name }) => name)
  return (
    <>
      <Field label="Region" error={mistakes.region}>
        {(control) => (
          <Input
            {...control}
            value={typed.region}
            data-testid="provider-region"
            onChange={(event) => change({ region: event.target.value })}
          />
        )}
      </Field>
      <Field label="AWS credentials">
        {(control) => (
          <Select
            {...control}
            value={typed.credentials}
            options={credentialNames}
            onChange={(credentials) => change({ credentials })}
          />
        )}
      </Field>
      {typed.credentials !== 'default' && (
        <Field
          label={typed.credentials === 'profile' ? 'Profile' : 'Keys'}
          error={mistakes.account}
          hint={typed.credentials === 'keys' ? 'Entered in Settings.' : undefined}
        >
          {(control) => (
            <>
              <Input
                {...control}
                list={names}
                value={typed.account}
                data-testid="provider-account"
                onChange={(event) => change({ account: event.target.value })}
              />
              <datalist id={names}>
                {suggestions.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      )}
      <Field label="Endpoint" error={mistakes.endpoint} hint="Only for another place than Amazon’s own.">
        {(control) => (
          <Input
            {...control}
            value={typed.endpoint}
            data-testid="provider-endpoint"
            onChange={(event) => change({ endpoint: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
