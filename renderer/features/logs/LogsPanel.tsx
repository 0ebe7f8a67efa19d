import { ArrowDown, Pause, Play, ScrollText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import { aimText } from './aim.ts'
import { pickKey, useChoice } from './choices.store.ts'
import { FeedNotes } from './FeedNotes.tsx'
import styles from './Logs.module.css'
import { LogsBar } from './LogsBar.tsx'
import { currentLogs } from './operations.ts'
import { isToday } from './row.ts'
import { LogScreen } from './screen.ts'
import { LogsSession } from './session.ts'
import { useUsualPicks } from './useUsualPicks.ts'

interface LogsPanelProps {
  /** What the person chose here is kept under this name. */
  view: string
  machines: readonly MachineView[]
  /** A moment to show once its lines are there. */
  aimed?: number | undefined
}

/** History and stream of one or many services in one list by time. */
export function LogsPanel({ view, machines, aimed }: LogsPanelProps) {
  const { since, picks, wrap } = useChoice(view)
  const [session, setSession] = useState<LogsSession | null>(null)
  const unknown = useUsualPicks(view, machines)
  useEffect(() => {
    const made = new LogsSession()
    setSession(made)
    currentLogs.session = made
    if (aimed !== undefined) made.aim(aimed, 'the timeline')
    return () => {
      currentLogs.session = null
      made.close()
    }
  }, [aimed])
  const shownSince = useRef(since)
  useEffect(() => {
    if (session === null || picks === undefined) return
    if (shownSince.current === since) session.show(picks, since)
    else session.restart(picks, since)
    shownSince.current = since
  }, [session, picks, since])
  if (session === null) return null
  return (
    <div className={styles.panel}>
      <LogsBar view={view} machines={machines} session={session} />
      <FeedNotes session={session} onRetry={(key) => session.retry(key, since)} />
      <Aimed session={session} />
      {unknown || picks?.length === 0 ? <NoService unknown={unknown} /> : <LogList session={session} wrap={wrap} />}
      <Foot session={session} />
    </div>
  )
}

function NoService({ unknown }: { unknown: boolean }) {
  return (
    <EmptyState
      icon={<ScrollText size={26} aria-hidden />}
      title={unknown ? 'Which services there are is not known yet' : 'No service is chosen'}
      text={
        unknown
          ? 'No machine of this view can be asked now, and nothing of their logs was looked at before. They come when a machine is back.'
          : 'Choose services on the left above; their lines are merged by time.'
      }
    />
  )
}

function LogList({ session, wrap }: { session: LogsSession; wrap: boolean }) {
  const scroller = useRef<HTMLElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const screen = useRef<LogScreen | null>(null)
  const feeds = session.state((state) => state.feeds)
  const keys = Object.keys(feeds).sort().join('\n')
  const dated = session.state(({ stats }) => stats?.firstTime != null && !isToday(stats.firstTime))
  useEffect(() => {
    if (scroller.current === null || sheet.current === null) return
    const made = new LogScreen(scroller.current, sheet.current, session, namesOf(session, '', false))
    screen.current = made
    return () => made.close()
  }, [session])
  useEffect(() => screen.current?.setNames(namesOf(session, keys, dated)), [session, keys, dated])
  useEffect(() => screen.current?.setWrap(wrap), [wrap])
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section ref={scroller} className={styles.scroller} tabIndex={0} aria-label="Log lines" data-testid="log-lines">
        <div ref={sheet} className={styles.sheet} />
      </section>
      <Nothing session={session} />
      <ToEnd session={session} onFollow={() => screen.current?.follow()} />
    </div>
  )
}

function namesOf(session: LogsSession, keys: string, dated: boolean) {
  const shown = keys.split('\n').filter(Boolean)
  const { machines } = useFleet.getState()
  const picks = session.sources.filter((pick) => shown.includes(pickKey(pick)))
  return {
    machine: (source: number) => machines[session.sources[source]?.machineId ?? '']?.name ?? '',
    service: (source: number) => session.sources[source]?.service ?? '',
    severalMachines: new Set(picks.map(({ machineId }) => machineId)).size > 1,
    severalServices: new Set(picks.map(({ service }) => service)).size > 1 || picks.length <= 1,
    dated,
  }
}

function Aimed({ session }: { session: LogsSession }) {
  const text = session.state(({ aim, stats }) => (aim === null ? null : aimText(aim, stats)))
  if (text === null) return null
  return (
    <div className={styles.aimed} role="status" data-testid="logs-aimed">
      {text}
    </div>
  )
}

/** Why there is nothing to see. */
function Nothing({ session }: { session: LogsSession }) {
  const stats = session.state((state) => state.stats)
  const feeds = Object.values(session.state((state) => state.feeds))
  if (stats === null || stats.seen > 0) return null
  if (stats.lines > 0) {
    return (
      <div className={styles.nothing} data-testid="logs-nothing">
        None of the {stats.lines.toLocaleString('en')} lines passes the filter.
      </div>
    )
  }
  if (feeds.some(({ state }) => state === 'loading')) return <div className={styles.nothing}>Reading the history…</div>
  return (
    <div className={styles.nothing} data-testid="logs-nothing">
      {feeds.length > 0 && feeds.every(({ state }) => state === 'failed')
        ? 'Nothing can be read. Why, for each service, stands above.'
        : 'No lines yet. What is written from now on appears here.'}
    </div>
  )
}

function ToEnd({ session, onFollow }: { session: LogsSession; onFollow: () => void }) {
  const following = session.state((state) => state.following)
  const fresh = session.state(({ stats, unfollowedAt }) => (stats?.added ?? 0) - unfollowedAt)
  if (following) return null
  return (
    <div className={styles.toEnd}>
      <Button icon={<ArrowDown size={15} aria-hidden />} data-testid="logs-follow" onClick={onFollow}>
        {fresh > 0 ? `${fresh.toLocaleString('en')} new ${fresh === 1 ? 'line' : 'lines'}` : 'To the end'}
      </Button>
    </div>
  )
}

function Foot({ session }: { session: LogsSession }) {
  const { stats, following, paused } = session.state()
  if (stats === null) return <div className={styles.foot} />
  const filtered = stats.seen < stats.lines && `${stats.seen.toLocaleString('en')} of `
  return (
    <div className={styles.foot} role="status" data-testid="logs-foot">
      <span>
        {filtered}
        {stats.lines.toLocaleString('en')} {stats.lines === 1 ? 'line' : 'lines'} in view
      </span>
      {paused ? (
        <span className={styles.paused}>
          <Pause size={12} aria-hidden /> paused, {stats.held.toLocaleString('en')}{' '}
          {stats.held === 1 ? 'line' : 'lines'} waiting
        </span>
      ) : (
        <span>
          {following ? <Play size={12} aria-hidden /> : null} {following ? 'following' : 'not following'}
        </span>
      )}
      {stats.left > 0 && (
        <span data-testid="logs-left">
          {stats.left.toLocaleString('en')} older lines left the view, which keeps 500,000
        </span>
      )}
      <span className={styles.rate}>{stats.perSecond.toLocaleString('en')} lines/s</span>
    </div>
  )
}
