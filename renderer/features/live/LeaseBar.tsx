import { Eye, Hand } from 'lucide-react'
import type { ReactNode } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { formatLeft, formatTime } from '../../ui/time.ts'
import styles from './live.module.css'

/** Under this much, the bar asks whether the person is still there. */
const shortLeaseMs = 60_000

interface LeaseBarProps {
  lease: MachineView['lease']
  /** Whether there is a browser to take. */
  takeable: boolean
  taking: boolean
  /** Who drives while no person does. */
  driving: string
  /** What a person is asked for here, if one is. */
  wanted: { instruction: string; until: number } | null
  onTake: () => void
  onStillHere: () => void
  tools: ReactNode
  giveBack: ReactNode
}

/** Who has control, for how long, and the one way to change it. */
export function LeaseBar(props: LeaseBarProps) {
  const { lease, takeable, taking, driving, wanted, onTake, onStillHere, tools, giveBack } = props
  if (lease?.mine === true) {
    return (
      <div className={styles.bar} data-tone="person" data-testid="lease-bar" data-lease="mine">
        <span className={styles.who}>
          <Hand size={15} aria-hidden /> You have control
        </span>
        <Countdown expiresAt={lease.expiresAt} onStillHere={onStillHere} />
        {tools}
        {giveBack}
      </div>
    )
  }
  if (lease !== null) {
    return (
      <div className={styles.bar} data-tone="person" data-testid="lease-bar" data-lease="other">
        <span className={styles.who}>
          <Hand size={15} aria-hidden /> {lease.operator} has control
        </span>
        <span className={styles.left}>
          since {formatTime(lease.takenAt)}
          {lease.reason !== '' && ` · ${lease.reason}`} · view only
        </span>
        {tools}
      </div>
    )
  }
  return (
    <div
      className={styles.bar}
      data-tone={wanted === null ? undefined : 'person'}
      data-testid="lease-bar"
      data-lease="none"
    >
      {wanted === null ? (
        <>
          <span className={styles.who}>
            <Eye size={15} aria-hidden /> View only
          </span>
          <span className={styles.left}>{takeable && driving}</span>
        </>
      ) : (
        <>
          <span className={styles.who}>
            <Hand size={15} aria-hidden /> A person is wanted
          </span>
          <Wanted {...wanted} />
        </>
      )}
      {tools}
      {takeable && (
        <Button
          variant="person"
          icon={<Hand size={15} aria-hidden />}
          busy={taking}
          data-testid="take-over"
          onClick={onTake}
        >
          Take over
        </Button>
      )}
    </div>
  )
}

function Wanted({ instruction, until }: { instruction: string; until: number }) {
  const left = until - useNow()
  return (
    <span className={styles.left} title={instruction} data-testid="lease-wanted">
      {left > 0 ? `${formatLeft(left)} left` : 'running out'}
      {instruction !== '' && ` · ${instruction}`}
    </span>
  )
}

function Countdown({ expiresAt, onStillHere }: { expiresAt: string; onStillHere: () => void }) {
  const left = Date.parse(expiresAt) - useNow()
  if (left > shortLeaseMs)
    return (
      <span className={styles.left} data-testid="lease-left">
        {formatLeft(left)}
        <span className={styles.word}> left</span>
        <span className={styles.hint}>, renews while you work</span>
      </span>
    )
  return (
    <>
      <span className={styles.left} data-short="" data-testid="lease-short">
        {left > 0 ? (
          <>
            <span className={styles.word}>Only </span>
            {formatLeft(left)} left
          </>
        ) : (
          'Control has run out'
        )}
      </span>
      {left > 0 && (
        <Button data-testid="keep-control" onClick={onStillHere}>
          Keep<span className={styles.word}> control</span>
        </Button>
      )}
    </>
  )
}

/** The age of a still picture, in words. */
export function PictureAge({ at }: { at: number }) {
  return (
    <>
      The picture behind is from <Age at={new Date(at).toISOString()} />.
    </>
  )
}
