import { useApp } from '../../app/app.store.ts'
import { Card } from '../../ui/Card.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { formatTime } from '../../ui/time.ts'
import { describeEvent } from './describeEvent.ts'
import styles from './live.module.css'
import { type SeenEvent, useTimeline } from './timeline.store.ts'

const none: readonly SeenEvent[] = []

/** What happened on a machine since this window opened. */
export function Timeline({ machineId }: { machineId: string }) {
  const events = useTimeline((state) => state.events[machineId] ?? none)
  const operator = useApp((state) => state.info?.settings.operator ?? '')
  const told = events.flatMap((event) => {
    const happening = describeEvent(event, operator)
    return happening === null ? [] : [{ event, happening }]
  })
  return (
    <Card title="What happened" className={styles.timeline ?? ''}>
      {told.length === 0 ? (
        <p className={styles.quiet}>Nothing since this window opened.</p>
      ) : (
        <ol className={styles.happenings} data-testid="timeline">
          {told.map(({ event, happening }) => (
            <li key={event.seq} className={styles.happening}>
              <StateDot tone={happening.tone} shape="round" />
              <span>{happening.title}</span>
              <time dateTime={event.time}>{formatTime(event.time)}</time>
              {happening.detail !== '' && <p>{happening.detail}</p>}
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
