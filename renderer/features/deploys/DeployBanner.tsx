import { Rocket } from 'lucide-react'
import { go } from '../../app/route.ts'
import { StateBadge } from '../../ui/Badge.tsx'
import { Bar } from '../../ui/Bar.tsx'
import { Button } from '../../ui/Button.tsx'
import styles from './Deploys.module.css'
import { progressKey, running, useDeploys } from './deploys.store.ts'
import { overall, rolloutLook, scopeText, tagText } from './look.ts'

/** On the fleet's screen while something is being deployed: what, where, how far. */
export function DeployBanner() {
  const rollouts = useDeploys((state) => state.rollouts)
  const progress = useDeploys((state) => state.progress)
  const open = running(rollouts)
  if (open.length === 0) return null
  return (
    <div className={styles.banners}>
      {open.slice(0, 3).map((rollout) => {
        const look = rolloutLook(rollout.status)
        const done = rollout.legs.filter(({ state }) => state === 'completed').length
        const part = overall(rollout, ({ machineId }) => progress[progressKey(rollout.id, machineId)]?.progress ?? null)
        return (
          <section
            key={rollout.id}
            className={styles.banner}
            aria-label={`Deploy of ${rollout.tag}`}
            data-testid="deploy-banner"
          >
            <Rocket size={15} aria-hidden />
            <span>
              <span className={styles.tag}>{tagText(rollout.tag)}</span> to {scopeText(rollout)}
            </span>
            <StateBadge look={look}>{look.word}</StateBadge>
            <span className={styles.bannerBar}>
              <Bar label={`Progress of the deploy of ${rollout.tag}`} value={part} />
            </span>
            <span className={styles.figure}>
              {done} of {rollout.legs.length}
            </span>
            <Button onClick={() => go({ screen: 'deploys' })}>
              {rollout.status === 'interrupted' ? 'Decide…' : 'Show'}
            </Button>
          </section>
        )
      })}
    </div>
  )
}
