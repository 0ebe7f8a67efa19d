import { classes } from './classes.ts'
import styles from './StateDot.module.css'
import type { Shape, Tone } from './tone.ts'

export interface DotLook {
  tone: Tone
  shape: Shape
  /** On its way somewhere. */
  pulsing?: boolean
  /** Remembered, not seen: an outline instead of a fill. */
  hollow?: boolean
}

/** The small mark in front of a name; the word beside it says the same, so it is silent itself. */
export function StateDot({ tone, shape, pulsing = false, hollow = false }: DotLook) {
  return (
    <span
      aria-hidden
      className={classes(styles.dot, styles[shape], styles[tone], pulsing && styles.pulsing, hollow && styles.hollow)}
    />
  )
}
