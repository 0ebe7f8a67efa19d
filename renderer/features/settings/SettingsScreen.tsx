import { type FormEvent, useState } from 'react'
import type { AppInfo } from '../../../shared/ipc.ts'
import { saveSettings, useApp } from '../../app/app.store.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { toast } from '../../ui/Toast.tsx'
import { TakeoverSettings } from '../takeovers/TakeoverSettings.tsx'
import { AwsKeys } from './AwsKeys.tsx'
import { PricesCard } from './PricesCard.tsx'
import styles from './Settings.module.css'

const themes = { system: 'As the system', dark: 'Dark', light: 'Light' } as const

const keychains = {
  ready: 'Secrets are kept in this computer’s keychain.',
  missing: 'There is no keychain: secrets live as long as this run.',
  locked: 'The keychain is locked: secrets live as long as this run.',
  weak: 'The keychain is not safe enough: secrets live as long as this run.',
} as const

/** What a person can choose, and what this console is. */
export function SettingsScreen() {
  const info = useApp((state) => state.info)
  if (info === null) return <div role="status" aria-label="Reading the settings" />
  return (
    <div className={styles.settings}>
      <Operator name={info.settings.operator} />
      <Card title="Look">
        <div className={styles.narrow}>
          <Field label="Theme">
            {(control) => (
              <Select
                {...control}
                value={info.settings.theme}
                options={themes}
                onChange={(theme) => void work('theme', 'Changing the theme', () => saveSettings({ theme }))}
              />
            )}
          </Field>
        </div>
      </Card>
      <Card title="Terminal">
        <div className={styles.narrow}>
          <Field label="Text that is selected in a terminal">
            {(control) => (
              <Select
                {...control}
                value={info.settings.copyOnSelect ? 'on' : 'off'}
                options={{ off: 'Is copied with Ctrl+Shift+C', on: 'Is copied at once' }}
                onChange={(value) =>
                  void work('terminal', 'Changing the setting', () => saveSettings({ copyOnSelect: value === 'on' }))
                }
              />
            )}
          </Field>
          <Field label="Screen readers" hint="Reading terminals out makes much output slower.">
            {(control) => (
              <Select
                {...control}
                value={info.settings.screenReader ? 'on' : 'off'}
                options={{ off: 'Terminals are not read out', on: 'Terminals are read out' }}
                onChange={(value) =>
                  void work('terminal', 'Changing the setting', () => saveSettings({ screenReader: value === 'on' }))
                }
              />
            )}
          </Field>
        </div>
      </Card>
      <TakeoverSettings settings={info.settings} className={styles.narrow} />
      <Card title="Keychain">
        <div className={styles.state} data-testid="keychain">
          <StateDot
            tone={info.keychain.state === 'ready' ? 'up' : 'unknown'}
            shape={info.keychain.state === 'ready' ? 'round' : 'diamond'}
          />
          <div>
            {keychains[info.keychain.state]}
            {info.keychain.detail !== '' && <p>{info.keychain.detail}</p>}
          </div>
        </div>
      </Card>
      <AwsKeys />
      <PricesCard />
      <Versions info={info} />
    </div>
  )
}

function Operator({ name }: { name: string }) {
  const [typed, setTyped] = useState(name)
  const busy = useBusy('operator')
  const trimmed = typed.trim()
  const mistake = trimmed === '' ? 'Machines show this name; it cannot be empty.' : undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (mistake !== undefined || trimmed === name) return
    if (await work('operator', 'Changing the name', () => saveSettings({ operator: trimmed })))
      toast({ title: `You are ${trimmed} now`, id: 'operator' })
  }
  return (
    <Card title="Operator">
      <form className={styles.form} onSubmit={submit}>
        <div>
          <Field label="Your name, as other consoles and the audit log show it" error={mistake}>
            {(control) => (
              <Input
                {...control}
                value={typed}
                maxLength={100}
                data-testid="operator-name"
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" busy={busy} disabled={mistake !== undefined || trimmed === name}>
          Save
        </Button>
      </form>
    </Card>
  )
}

function Versions({ info }: { info: AppInfo }) {
  const versions: [string, string][] = [
    ['Pilothouse', info.version],
    ['Electron', info.electron],
    ['Chromium', /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? 'unknown'],
    ['System', info.platform],
  ]
  const text = versions.map(([name, version]) => `${name} ${version}`).join('\n')
  return (
    <Card title="Versions" aside={<CopyButton text={text} label="Copy the versions" />}>
      <dl className={styles.facts}>
        {versions.map(([name, version]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{version}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
