import { TriangleAlert } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { formatElapsed } from '../../ui/time.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import type { FeedState } from './feed.ts'
import styles from './Logs.module.css'
import type { LogsSession } from './session.ts'

/** What has to be said about services that do not simply stream. */
export function FeedNotes({ session, onRetry }: { session: LogsSession; onRetry: (key: string) => void }) {
  const feeds = session.state((state) => state.feeds)
  const unwell = Object.entries(feeds).filter(([, { state }]) => state === 'waiting' || state === 'failed')
  if (unwell.length === 0) return null
  return (
    <ul className={styles.notes} data-testid="logs-notes">
      {unwell.slice(0, 3).map(([key, feed]) => (
        <Note key={key} name={key} feed={feed} onRetry={() => onRetry(key)} />
      ))}
      {unwell.length > 3 && <li>and {unwell.length - 3} more services.</li>}
    </ul>
  )
}

function Note({ name, feed, onRetry }: { name: string; feed: FeedState; onRetry: () => void }) {
  const now = useNow()
  const [machineId = '', service = ''] = name.split(' ')
  const machine = useFleet((state) => state.machines[machineId]?.name ?? '')
  if (feed.state !== 'waiting' && feed.state !== 'failed') return null
  return (
    <li data-state={feed.state}>
      <TriangleAlert size={14} aria-hidden />
      <span className={styles.noted}>
        <b>
          {machine} {service}
        </b>{' '}
        {feed.problem.detail.replace(/[.\s]*$/, '.')}
        {feed.state === 'waiting' && ` Trying again for ${formatElapsed(now - feed.since)}.`}
      </span>
      {/* One that waits tries by itself; one that failed would not know when. */}
      {feed.state === 'failed' && (
        <Button variant="ghost" className={styles.retry} data-testid="logs-retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </li>
  )
}
