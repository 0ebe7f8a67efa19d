import { memo } from 'react'
import type { Leg, Rollout } from '../../../shared/domain/rollout.ts'
import { hasEnded, isUnderWay } from '../../../shared/domain/rollout-states.ts'
import { go } from '../../app/route.ts'
import { useBusy } from '../../app/work.ts'
import { Bar } from '../../ui/Bar.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { useNow } from '../../ui/clock.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import { formatElapsed } from '../../ui/time.ts'
import styles from './Deploys.module.css'
import { progressKey, useDeploys } from './deploys.store.ts'
import { legLook, nextStep, plainDetail, revertible, stepWord, tagText } from './look.ts'
import { retryRollout, rollBackRollout, rolloutKey } from './operations.ts'

/** More than this is not read but searched: what needs a look comes first, the rest is counted. */
const shownLegs = 120

/** Every machine of a deploy: its step, how far it is, and what happened to it. */
export const Legs = memo(function Legs({ rollout }: { rollout: Rollout }) {
  const urgency = ({ state }: Leg) => (isUnderWay(state) ? 1 : nextStep(state) === undefined ? 2 : 0)
  const many = rollout.legs.length > shownLegs
  const legs = many ? [...rollout.legs].sort((a, b) => urgency(a) - urgency(b)).slice(0, shownLegs) : rollout.legs
  return (
    <>
      <ul className={styles.legs} aria-label={`Machines of the deploy of ${rollout.tag}`}>
        {legs.map((leg) => (
          <LegRow key={leg.machineId} rollout={rollout} leg={leg} />
        ))}
      </ul>
      {many && (
        <p className={styles.quiet}>
          and {rollout.legs.length - shownLegs} more: what failed or is under way stands first.
        </p>
      )}
    </>
  )
})

const LegRow = memo(function LegRow({ rollout, leg }: { rollout: Rollout; leg: Leg }) {
  const progress = useDeploys((state) => state.progress[progressKey(rollout.id, leg.machineId)])
  const look = legLook(leg.state)
  const underWay = isUnderWay(leg.state)
  return (
    <li className={styles.leg} data-testid={`leg-${leg.name}`} data-state={leg.state}>
      <StateDot {...look} />
      <button
        type="button"
        className={styles.legName}
        onClick={() => go({ screen: 'machine', machineId: leg.machineId, tab: 'deploys' })}
      >
        {leg.name}
      </button>
      <span className={styles.legBatch}>batch {leg.batch + 1}</span>
      <span className={styles[look.tone]}>{stepWord(leg, progress)}</span>
      <span className={styles.legWhat}>
        {underWay ? (
          <>
            <span className={styles.legMessage}>{progress?.message ?? ''}</span>
            <Bar label={`Progress on ${leg.name}`} value={progress?.progress ?? null} />
          </>
        ) : (
          <LegResult leg={leg} />
        )}
      </span>
      <span className={styles.legTime}>{leg.startedAt !== null && <Took leg={leg} />}</span>
      <LegButtons rollout={rollout} leg={leg} />
      <LegTrouble leg={leg} />
    </li>
  )
})

function LegResult({ leg }: { leg: Leg }) {
  if (leg.state !== 'completed' || leg.previousTag === null) return null
  return <span className={styles.quiet}>before: {tagText(leg.previousTag)}</span>
}

function Took({ leg }: { leg: Leg }) {
  const now = useNow()
  const from = Date.parse(leg.startedAt ?? '')
  return <>{formatElapsed((leg.endedAt === null ? now : Date.parse(leg.endedAt)) - from)}</>
}

function LegTrouble({ leg }: { leg: Leg }) {
  const next = nextStep(leg.state)
  if (leg.detail === null || next === undefined) return null
  return (
    <div className={styles.trouble}>
      <div>
        <p className={styles.why}>{plainDetail(leg.detail)}</p>
        <p className={styles.quiet}>{next}</p>
      </div>
      <CopyButton text={`${leg.name}: ${leg.state}\n${leg.detail}`} label="Copy what happened" />
    </div>
  )
}

function LegButtons({ rollout, leg }: { rollout: Rollout; leg: Leg }) {
  const busy = useBusy(rolloutKey(rollout.id))
  const open = !hasEnded(rollout.status)
  const again = nextStep(leg.state) !== undefined && leg.state !== 'changed' && rollout.status !== 'stopping'
  const back = !open && revertible({ legs: [leg] }).length > 0
  return (
    <span className={styles.legButtons}>
      {again && leg.state === 'busy' && (
        <Button variant="ghost" busy={busy} onClick={() => retryRollout(rollout, [leg], true)}>
          Force…
        </Button>
      )}
      {again && (
        <Button variant="ghost" busy={busy} onClick={() => retryRollout(rollout, [leg])}>
          {leg.state === 'lost' ? 'Look again' : 'Try again'}
        </Button>
      )}
      {back && (
        <Button variant="ghost" busy={busy} onClick={() => rollBackRollout(rollout, leg)}>
          Roll back…
        </Button>
      )}
    </span>
  )
}
