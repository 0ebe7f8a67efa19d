import { RefreshCw } from 'lucide-react'
import { Age } from '../../ui/Age.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Tab.module.css'
import type { Known } from './useKnown.ts'

/** How old what is shown is, where it is from, and the way to ask again. */
export function Freshness({ known, why }: { known: Omit<Known<unknown>, 'giveUp'>; why: string | undefined }) {
  return (
    <span
      className={styles.fresh}
      data-old={known.from === 'cache' && !known.loading ? '' : undefined}
      data-testid="freshness"
    >
      {known.at === null ? (
        known.loading ? (
          'being asked'
        ) : (
          'not known yet'
        )
      ) : (
        <span>
          {known.from === 'cache' ? 'last known ' : 'as of '}
          <Age at={known.at} />
        </span>
      )}
      <IconButton
        label={why ?? 'Ask the machine again'}
        icon={<RefreshCw size={14} aria-hidden />}
        busy={known.asking && known.value !== null}
        disabled={why !== undefined}
        onClick={() => void known.reload()}
      />
    </span>
  )
}
