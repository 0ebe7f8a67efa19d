import { CircleStop, Pause, Play, RotateCcw, Undo2, X } from 'lucide-react'
import type { Rollout } from '../../../shared/domain/rollout.ts'
import { hasEnded, isUnderWay } from '../../../shared/domain/rollout-states.ts'
import { keysOf } from '../../app/actions.ts'
import { useBusy } from '../../app/work.ts'
import { StateBadge } from '../../ui/Badge.tsx'
import { Bar } from '../../ui/Bar.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/clock.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { formatElapsed } from '../../ui/time.ts'
import styles from './Deploys.module.css'
import { progressKey, putAway, useDeploys } from './deploys.store.ts'
import { Legs } from './Legs.tsx'
import { overall, retriable, revertible, rolloutLook, scopeText, tagText } from './look.ts'
import {
  cancelRollout,
  list,
  pauseRollout,
  resumeRollout,
  retryRollout,
  rollBackRollout,
  rolloutKey,
} from './operations.ts'

/** One deploy that runs or has just ended: where it stands, machine by machine, and what can be done about it. */
export function RolloutCard({ rollout }: { rollout: Rollout }) {
  const progress = useDeploys((state) => state.progress)
  const look = rolloutLook(rollout.status)
  const part = overall(rollout, ({ machineId }) => progress[progressKey(rollout.id, machineId)]?.progress ?? null)
  const done = rollout.legs.filter(({ state }) => state === 'completed').length
  const share = hasEnded(rollout.status) ? done / rollout.legs.length : part
  const tone = rollout.status === 'failed' ? 'broken' : rollout.status === 'completed' ? 'up' : 'engine'
  return (
    <section
      className={styles.rollout}
      aria-label={`Deploy of ${rollout.tag}`}
      data-testid={`rollout-${rollout.id}`}
      data-status={rollout.status}
    >
      <header className={styles.rolloutHead}>
        <h2 className={styles.rolloutTitle}>
          {rollout.kind === 'rollback' ? 'Roll back to ' : ''}
          <span className={styles.tag}>{tagText(rollout.tag)}</span>
        </h2>
        <StateBadge look={look} role="status">
          {look.word}
        </StateBadge>
        <span className={styles.quiet}>
          {scopeText(rollout)} · {rollout.maxUnavailable} at once · by {rollout.operator} · <Lasted rollout={rollout} />
        </span>
        <RolloutButtons rollout={rollout} />
      </header>
      {rollout.status === 'interrupted' && <Interrupted rollout={rollout} />}
      <div className={styles.rolloutBar}>
        <Bar label={`Progress of the deploy of ${rollout.tag}`} value={share} tone={tone} />
        <span className={styles.figure}>
          {done} of {rollout.legs.length}
        </span>
      </div>
      <Legs rollout={rollout} />
    </section>
  )
}

export function Lasted({ rollout }: { rollout: Rollout }) {
  const now = useNow()
  const end = rollout.endedAt === null ? now : Date.parse(rollout.endedAt)
  return <>{formatElapsed(end - Date.parse(rollout.createdAt))}</>
}

/** What an earlier run of this console left: where it was, and the person's choice. */
function Interrupted({ rollout }: { rollout: Rollout }) {
  const busy = useBusy(rolloutKey(rollout.id))
  const names = (wanted: (state: Rollout['legs'][number]['state']) => boolean) =>
    rollout.legs.filter(({ state }) => wanted(state)).map(({ name }) => name)
  const underWay = names(isUnderWay)
  const waiting = names((state) => state === 'waiting')
  return (
    <div className={styles.interrupted} role="status">
      <p>
        <strong>This console ended in the middle of it.</strong>{' '}
        {underWay.length > 0 &&
          `${list(underWay)} may still be under way: that is being found out, and nothing is asked twice. `}
        {waiting.length > 0 && `${list(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for you to decide.`}
      </p>
      <Button
        variant="primary"
        icon={<Play size={15} aria-hidden />}
        busy={busy}
        data-testid="go-on"
        onClick={() => void resumeRollout(rollout)}
      >
        Go on
      </Button>
      <Button
        icon={<CircleStop size={15} aria-hidden />}
        data-testid="stop-here"
        onClick={() => cancelRollout(rollout)}
      >
        Stop here…
      </Button>
    </div>
  )
}

function RolloutButtons({ rollout }: { rollout: Rollout }) {
  const busy = useBusy(rolloutKey(rollout.id))
  if (hasEnded(rollout.status)) return <EndedButtons rollout={rollout} busy={busy} />
  return (
    <span className={styles.buttons}>
      {rollout.status === 'running' && (
        <Tooltip text={<Kbd keys={keysOf('deploys.pause') ?? ''} />}>
          <Button
            icon={<Pause size={15} aria-hidden />}
            busy={busy}
            data-testid="pause"
            onClick={() => void pauseRollout(rollout)}
          >
            Pause
          </Button>
        </Tooltip>
      )}
      {rollout.status === 'paused' && (
        <Button
          variant="primary"
          icon={<Play size={15} aria-hidden />}
          busy={busy}
          data-testid="resume"
          onClick={() => void resumeRollout(rollout)}
        >
          Resume
        </Button>
      )}
      {rollout.status !== 'interrupted' && rollout.stoppedBy !== 'person' && (
        <Button icon={<CircleStop size={15} aria-hidden />} data-testid="cancel" onClick={() => cancelRollout(rollout)}>
          Cancel…
        </Button>
      )}
    </span>
  )
}

/** What can be done about one that has ended. */
export function EndedButtons({
  rollout,
  busy,
  inHistory = false,
}: {
  rollout: Rollout
  busy: boolean
  inHistory?: boolean
}) {
  const again = retriable(rollout)
  return (
    <span className={styles.buttons}>
      {again.length > 0 && (
        <Button
          icon={<RotateCcw size={15} aria-hidden />}
          busy={busy}
          data-testid="retry"
          onClick={() => retryRollout(rollout, again)}
        >
          Try {again.length === 1 ? again[0]?.name : `the other ${again.length}`} again
        </Button>
      )}
      {revertible(rollout).length > 0 && (
        <Button
          icon={<Undo2 size={15} aria-hidden />}
          busy={busy}
          data-testid="roll-back"
          onClick={() => rollBackRollout(rollout)}
        >
          {revertible(rollout).length === 1 ? 'Roll back…' : 'Roll back all…'}
        </Button>
      )}
      {!inHistory && (
        <IconButton label="Put away" icon={<X size={15} aria-hidden />} onClick={() => putAway(rollout.id)} />
      )}
    </span>
  )
}
