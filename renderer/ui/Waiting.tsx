import { useState } from 'react'
import { Progress } from './Progress.tsx'
import { useLate } from './useLate.ts'
import styles from './Waiting.module.css'

interface WaitingProps {
  /** What is being done, as in "Reading the variables". */
  label: string
  /** The way out, and what it is called. */
  wayOut: { title: string; run: () => void }
}

/** In the place of what is being asked for: quiet at first, then what is done, for how long already, and the way out. */
export function Waiting({ label, wayOut }: WaitingProps) {
  const [since] = useState(() => Date.now())
  const late = useLate(true)
  return (
    <div className={styles.waiting} data-testid="waiting">
      {late ? (
        <div className={styles.progress}>
          <Progress label={label} since={since} wayOut={wayOut} />
        </div>
      ) : (
        <span role="status" className="visually-hidden">
          {label}
        </span>
      )}
    </div>
  )
}
