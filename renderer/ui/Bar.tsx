import { Progress as Base } from '@base-ui/react/progress'
import styles from './Bar.module.css'
import { classes } from './classes.ts'
import type { Tone } from './tone.ts'

interface BarProps {
  label: string
  /** 0 to 1; null while nobody can say how far it is. */
  value: number | null
  tone?: Extract<Tone, 'engine' | 'up' | 'broken' | 'person' | 'off'>
}

/** How much is done, as a thin line. */
export function Bar({ label, value, tone = 'engine' }: BarProps) {
  const percent = value === null ? null : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <Base.Root value={percent} aria-label={label} className={styles.root}>
      <Base.Track className={styles.track}>
        {percent === null ? (
          <div className={styles.run} />
        ) : (
          <Base.Indicator className={classes(styles.fill, styles[tone])} />
        )}
      </Base.Track>
    </Base.Root>
  )
}
