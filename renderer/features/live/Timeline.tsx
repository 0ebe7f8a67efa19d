import { useMemo } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { useApp } from '../../app/app.store.ts'
import { go } from '../../app/route.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { formatWhen } from '../../ui/time.ts'
import styles from './live.module.css'
import { whatHappened } from './past.ts'
import { type SeenEvent, useTimeline } from './timeline.store.ts'
import { usePast } from './usePast.ts'

const none: readonly SeenEvent[] = []

/** What happened on a machine of late, in a few words each; the rest is in its timeline. */
export function Timeline({ machine }: { machine: MachineView }) {
  const events = useTimeline((state) => state.events[machine.id] ?? none)
  const operator = useApp((state) => state.info?.settings.operator ?? '')
  const past = usePast(machine)
  const told = useMemo(
    () => whatHappened(events, past?.entries ?? [], operator, past?.until ?? ''),
    [events, past, operator],
  )
  return (
    <Card
      title="What happened"
      className={styles.timeline ?? ''}
      aside={
        <Button
          variant="ghost"
          className={styles.toTimeline}
          data-testid="live-to-timeline"
          onClick={() => go({ screen: 'machine', machineId: machine.id, tab: 'timeline' })}
        >
          Timeline
        </Button>
      }
    >
      {told.length === 0 ? (
        past !== null && <p className={styles.quiet}>Nothing is known of it yet.</p>
      ) : (
        <ol className={styles.happenings} data-testid="timeline">
          {told.map(({ key, at, tone, title, detail }) => (
            <li key={key} className={styles.happening}>
              <StateDot tone={tone} shape="round" />
              <span>{title}</span>
              <time dateTime={at}>{formatWhen(at)}</time>
              {detail !== '' && <p title={detail}>{detail.split('\n')[0]}</p>}
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
