import { Plus, Rocket } from 'lucide-react'
import { useEffect } from 'react'
import { keysOf } from '../../app/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './Deploys.module.css'
import { listed, readFeeds, useDeploys } from './deploys.store.ts'
import { FeedCard } from './FeedCard.tsx'
import feedsStyles from './Feeds.module.css'
import { History } from './History.tsx'
import { openNewDeploy } from './operations.ts'
import { RolloutCard } from './RolloutCard.tsx'

/** What is being deployed, what could be, and what was. */
export function DeploysScreen() {
  const rollouts = useDeploys((state) => state.rollouts)
  const feeds = useDeploys((state) => state.feeds)
  const problem = useDeploys((state) => state.feedProblem)
  useEffect(() => void readFeeds(), [])
  const active = listed(rollouts)
  return (
    <div className={styles.screen} data-testid="deploys">
      <div className={styles.tools}>
        {active.length === 0 && (
          <span className={styles.quiet}>
            <Rocket size={14} aria-hidden /> Nothing is being deployed.
          </span>
        )}
        <Tooltip text={<Kbd keys={keysOf('deploys.new') ?? ''} />}>
          <Button
            variant="primary"
            icon={<Plus size={15} aria-hidden />}
            data-testid="new-deploy"
            className={styles.new}
            onClick={() => openNewDeploy([])}
          >
            New deploy
          </Button>
        </Tooltip>
      </div>
      {active.map((rollout) => (
        <RolloutCard key={rollout.id} rollout={rollout} />
      ))}
      {problem !== null && <ErrorText problem={problem} />}
      {feeds !== null && (
        <section aria-labelledby="new-images" className={styles.part}>
          <h2 id="new-images" className={styles.heading}>
            New images
          </h2>
          <div className={feedsStyles.feeds}>
            {feeds.map((feed) => (
              <FeedCard key={feed.environment} feed={feed} />
            ))}
          </div>
        </section>
      )}
      <History />
    </div>
  )
}
