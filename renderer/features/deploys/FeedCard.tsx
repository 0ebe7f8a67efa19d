import { Pencil, RefreshCw, X } from 'lucide-react'
import { useState } from 'react'
import type { FeedView, PendingTag } from '../../../shared/ipc-deploys.ts'
import { useBusy } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { useFleet } from '../fleet/fleet.store.ts'
import styles from './Deploys.module.css'
import { FeedDialog } from './FeedDialog.tsx'
import feedsStyles from './Feeds.module.css'
import { shortDigest } from './look.ts'
import { dismissTag, lookAtFeed, openNewDeploy, setAutoDeploy } from './operations.ts'

/** Where an environment's images come from, which are new, and whether they are deployed by themselves. */
export function FeedCard({ feed }: { feed: FeedView }) {
  const [editing, setEditing] = useState(false)
  const { config, environment } = feed
  return (
    <Card
      title={environment}
      aside={config === null ? 'no registry' : <FeedTools feed={feed} onEdit={() => setEditing(true)} />}
      data-testid={`feed-${environment}`}
    >
      <FeedDialog feed={feed} open={editing} onClose={() => setEditing(false)} />
      {config === null ? (
        <div className={feedsStyles.unset}>
          <p className={styles.quiet}>
            Watch a registry to see new tags here. Nothing is deployed by itself unless you say so.
          </p>
          <Button data-testid={`feed-setup-${environment}`} onClick={() => setEditing(true)}>
            Set up…
          </Button>
        </div>
      ) : (
        <div className={feedsStyles.feed}>
          <p className={feedsStyles.feedPlace}>
            <code>{config.repository}</code> <code>{config.pattern}</code>
          </p>
          <div className={feedsStyles.auto}>
            <Switch
              label={`Deploy new tags to ${environment} by itself`}
              checked={config.autoDeploy}
              testId={`auto-${environment}`}
              onChange={(on) => setAutoDeploy(feed, on)}
            />
            <span>Auto-deploy {config.autoDeploy ? 'on' : 'off'}</span>
            <span className={styles.quiet}>
              {feed.machines} machine{feed.machines === 1 ? '' : 's'}
            </span>
          </div>
          {feed.problem !== null && <ErrorText problem={feed.problem} />}
          <Pending feed={feed} />
        </div>
      )}
    </Card>
  )
}

function FeedTools({ feed, onEdit }: { feed: FeedView; onEdit: () => void }) {
  const busy = useBusy(`feed:${feed.environment}`)
  return (
    <span className={feedsStyles.feedTools}>
      {feed.looking ? (
        'looking…'
      ) : feed.lookedAt === null ? (
        'not read yet'
      ) : (
        <>
          looked <Age at={feed.lookedAt} />
        </>
      )}
      <IconButton
        label={`Look for new images for ${feed.environment} now`}
        icon={<RefreshCw size={14} aria-hidden />}
        busy={busy || feed.looking}
        onClick={() => void lookAtFeed(feed)}
      />
      <IconButton label={`Registry of ${feed.environment}…`} icon={<Pencil size={14} aria-hidden />} onClick={onEdit} />
    </span>
  )
}

function Pending({ feed }: { feed: FeedView }) {
  if (feed.lookedAt === null && feed.problem === null)
    return <p className={styles.quiet}>Looking for the first time…</p>
  if (feed.pending.length === 0)
    return feed.problem === null ? <p className={styles.quiet}>Nothing newer than what is deployed.</p> : null
  return (
    <ul className={feedsStyles.pending} aria-label={`Pending tags of ${feed.environment}`}>
      {feed.pending.map((tag) => (
        <PendingRow key={`${tag.tag}@${tag.digest}`} feed={feed} tag={tag} />
      ))}
    </ul>
  )
}

function PendingRow({ feed, tag }: { feed: FeedView; tag: PendingTag }) {
  const machines = useFleet((state) => state.machines)
  const chosen = () =>
    Object.values(machines)
      .filter(({ environment, tunnel }) => environment === feed.environment && tunnel.kind !== 'local')
      .map(({ id }) => id)
  const words = [
    tag.commit === null ? `image ${shortDigest(tag.digest)}` : tag.commit.slice(0, 10),
    tag.branch,
    tag.message,
  ].filter((part) => part !== null)
  return (
    <li className={feedsStyles.pendingRow}>
      <span className={styles.tag} title={tag.digest}>
        {tag.tag}
      </span>
      <span
        className={feedsStyles.commit}
        title={[tag.commit, tag.message, tag.source].filter((part) => part !== null).join('\n')}
      >
        {words.join(' · ')} · <Age at={tag.createdAt ?? tag.firstSeenAt} />
      </span>
      <Button variant="ghost" onClick={() => openNewDeploy(chosen(), tag.deployAs)}>
        Deploy…
      </Button>
      <IconButton
        label={`Put ${tag.tag} away`}
        icon={<X size={14} aria-hidden />}
        onClick={() => void dismissTag(feed, tag)}
      />
    </li>
  )
}
