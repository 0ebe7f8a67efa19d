import { useState } from 'react'
import type { AppInfo, NotificationChoices } from '../../../shared/ipc.ts'
import { saveSettings } from '../../app/app.store.ts'
import { call } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Switch } from '../../ui/Switch.tsx'
import styles from './Settings.module.css'
import { useAnswer } from './useAnswer.ts'

const kinds: readonly { kind: keyof NotificationChoices; title: string; text: string }[] = [
  { kind: 'takeovers', title: 'Takeover requests', text: 'An engine is stuck and wants a person.' },
  { kind: 'deploys', title: 'Failed deploys', text: 'A deploy failed, or was rolled back by the machine.' },
  { kind: 'lost', title: 'Lost machines', text: 'A machine that ran was killed, expired, or is no longer reached.' },
  { kind: 'sound', title: 'With the system’s sound', text: 'Otherwise they come silently.' },
]

const answers = {
  shown: { tone: 'up', shape: 'round', word: 'The system showed it.' },
  silent: {
    tone: 'unknown',
    shape: 'diamond',
    word: 'The system took it and said no more: it may be set to do not disturb.',
  },
  failed: { tone: 'broken', shape: 'diamond', word: 'The system did not show it.' },
} as const

/** Of what the system tells while one looks elsewhere. */
export function NotificationsSection({ info }: { info: AppInfo }) {
  const { notifications } = info.settings
  const { answer: system } = useAnswer('notifications.state')
  const [told, setTold] = useState<{ answer: keyof typeof answers; detail: string } | null>(null)
  const busy = useBusy('notifications-test')
  const test = () =>
    void work('notifications-test', 'The test', async () => setTold(await call('notifications.test', {})))
  return (
    <>
      <Card title="Tell me of">
        <ul className={styles.rows}>
          {kinds.map(({ kind, title, text }) => (
            <li key={kind} className={styles.row}>
              <div className={styles.what}>
                <span className={styles.name}>{title}</span>
                <span className={styles.quiet}>{text}</span>
              </div>
              <Switch
                label={title}
                checked={notifications[kind]}
                testId={`notify-${kind}`}
                onChange={(on) =>
                  void work('notifications', 'Changing the setting', () =>
                    saveSettings({ notifications: { ...notifications, [kind]: on } }),
                  )
                }
              />
            </li>
          ))}
        </ul>
        <p className={styles.note}>
          Several of a kind come as one, at most one in ten seconds, and never about the machine you are looking at.
        </p>
      </Card>
      <Card title="The system">
        <div className={styles.row}>
          <div className={styles.what}>
            {system !== null && (
              <span className={styles.verdict} data-testid="notifications-system">
                <StateDot tone={system.supported ? 'up' : 'off'} shape={system.supported ? 'round' : 'square'} />
                {system.supported ? 'This system shows notifications.' : system.detail}
              </span>
            )}
            {told !== null && (
              <span className={styles.verdict} role="status" data-testid="notification-answer">
                <StateDot tone={answers[told.answer].tone} shape={answers[told.answer].shape} />
                {answers[told.answer].word} {told.answer === 'failed' && told.detail}
              </span>
            )}
          </div>
          <Button busy={busy} onClick={test} data-testid="notification-test">
            Send a test
          </Button>
        </div>
      </Card>
    </>
  )
}
