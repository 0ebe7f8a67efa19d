import { Progress as Base } from '@base-ui/react/progress'
import { Button } from './Button.tsx'
import { useNow } from './clock.ts'
import styles from './Progress.module.css'
import { formatElapsed } from './time.ts'

interface ProgressProps {
  label: string
  /** When it began, in ms. */
  since: number
  /** The way out, and what it is called. */
  wayOut: { title: string; run: () => void }
}

/** Work of unknown length: what is being done, for how long already, and how to leave. */
export function Progress({ label, since, wayOut }: ProgressProps) {
  const now = useNow()
  return (
    <div className={styles.progress}>
      <div className={styles.line}>
        <span role="status">{label}</span>
        <span className={styles.elapsed}>{formatElapsed(now - since)}</span>
      </div>
      <Base.Root value={null} aria-label={label}>
        <Base.Track className={styles.track}>
          <div className={styles.run} />
        </Base.Track>
      </Base.Root>
      <div className={styles.line}>
        <span />
        <Button variant="ghost" onClick={wayOut.run}>
          {wayOut.title}
        </Button>
      </div>
    </div>
  )
}
