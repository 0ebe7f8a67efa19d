import { TriangleAlert } from 'lucide-react'
import { useNow } from '../../ui/clock.ts'
import { formatElapsed } from '../../ui/time.ts'
import { useFleet } from '../fleet/fleet.store.ts'
import type { FeedState } from './feed.ts'
import styles from './Logs.module.css'
import type { LogsSession } from './session.ts'

/** What has to be said about services that do not simply stream. */
export function FeedNotes({ session }: { session: LogsSession }) {
  const feeds = session.state((state) => state.feeds)
  const unwell = Object.entries(feeds).filter(([, { state }]) => state === 'waiting' || state === 'failed')
  if (unwell.length === 0) return null
  return (
    <ul className={styles.notes} data-testid="logs-notes">
      {unwell.slice(0, 3).map(([key, feed]) => (
        <Note key={key} name={key} feed={feed} />
      ))}
      {unwell.length > 3 && <li>and {unwell.length - 3} more services.</li>}
    </ul>
  )
}

function Note({ name, feed }: { name: string; feed: FeedState }) {
  const now = useNow()
  const [machineId = '', service = ''] = name.split(' ')
  const machine = useFleet((state) => state.machines[machineId]?.name ?? '')
  if (feed.state !== 'waiting' && feed.state !== 'failed') return null
  return (
    <li data-state={feed.state}>
      <TriangleAlert size={14} aria-hidden />
      <span>
        <b>
          {machine} {service}
        </b>{' '}
        {feed.problem.detail.replace(/[.\s]*$/, '.')}
        {feed.state === 'waiting' && ` Trying again for ${formatElapsed(now - feed.since)}.`}
      </span>
    </li>
  )
}
