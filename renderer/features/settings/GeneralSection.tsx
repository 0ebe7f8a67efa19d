import { type FormEvent, useState } from 'react'
import type { AppInfo, Settings } from '../../../shared/ipc.ts'
import { saveSettings } from '../../app/app.store.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/Toast.tsx'
import { TakeoverSettings } from '../takeovers/TakeoverSettings.tsx'
import styles from './Settings.module.css'

const themes = { system: 'As the system', dark: 'Dark', light: 'Light' } as const

/** Who works here, and how the console behaves for them. */
export function GeneralSection({ info: { settings } }: { info: AppInfo }) {
  const change = (what: string, changed: Partial<Settings>) => void work('general', what, () => saveSettings(changed))
  return (
    <>
      <Operator name={settings.operator} />
      <Card title="Look">
        <div className={styles.narrow}>
          <Field label="Theme">
            {(control) => (
              <Select
                {...control}
                value={settings.theme}
                options={themes}
                onChange={(theme) => change('Changing the theme', { theme })}
              />
            )}
          </Field>
        </div>
      </Card>
      <TakeoverSettings settings={settings} className={styles.pair} />
      <Card title="Terminal">
        <div className={styles.pair}>
          <Field label="Text that is selected in a terminal">
            {(control) => (
              <Select
                {...control}
                value={settings.copyOnSelect ? 'on' : 'off'}
                options={{ off: 'Is copied with Ctrl+Shift+C', on: 'Is copied at once' }}
                onChange={(value) => change('Changing the setting', { copyOnSelect: value === 'on' })}
              />
            )}
          </Field>
          <Field label="Screen readers" hint="Reading terminals out makes much output slower.">
            {(control) => (
              <Select
                {...control}
                value={settings.screenReader ? 'on' : 'off'}
                options={{ off: 'Terminals are not read out', on: 'Terminals are read out' }}
                onChange={(value) => change('Changing the setting', { screenReader: value === 'on' })}
              />
            )}
          </Field>
        </div>
      </Card>
    </>
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
