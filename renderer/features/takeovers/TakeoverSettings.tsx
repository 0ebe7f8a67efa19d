import type { Settings } from '../../../shared/ipc.ts'
import { saveSettings } from '../../app/app.store.ts'
import { work } from '../../app/work.ts'
import { Card } from '../../ui/Card.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { playTone } from './tone.ts'

const minutes = {
  '1': '1 minute',
  '2': '2 minutes',
  '5': '5 minutes',
  '10': '10 minutes',
  '15': '15 minutes',
} as const
type Minutes = keyof typeof minutes

/** How long control lasts, and whether one hears that a person is wanted. */
export function TakeoverSettings({ settings, className }: { settings: Settings; className: string | undefined }) {
  const change = (changed: Partial<Settings>) =>
    void work('takeover-settings', 'Changing the setting', () => saveSettings(changed))
  const shown = {
    ...minutes,
    [String(settings.leaseMinutes)]:
      minutes[String(settings.leaseMinutes) as Minutes] ?? `${settings.leaseMinutes} minutes`,
  }
  return (
    <Card title="Takeovers">
      <div className={className}>
        <Field
          label="Control ends after this long without your work"
          hint="A closed laptop then does not hold a browser."
        >
          {(control) => (
            <Select
              {...control}
              value={String(settings.leaseMinutes)}
              options={shown as Record<string, string>}
              onChange={(value) => change({ leaseMinutes: Number(value) })}
            />
          )}
        </Field>
        <Field label="When a person is wanted">
          {(control) => (
            <Select
              {...control}
              value={settings.takeoverSound ? 'on' : 'off'}
              options={{ off: 'Make no sound', on: 'Play a short tone' }}
              onChange={(value) => {
                if (value === 'on') playTone()
                change({ takeoverSound: value === 'on' })
              }}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}
