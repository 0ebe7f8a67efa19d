import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './StateDot.module.css'
import { type DotLook, StateDot } from './StateDot.tsx'
import type { Tone } from './tone.ts'

interface BadgeProps extends ComponentProps<'span'> {
  tone: Tone
  children: ReactNode
}

/** A short word on a tinted ground. */
export function Badge({ tone, children, className, ...rest }: BadgeProps) {
  return (
    <span {...rest} className={classes(styles.badge, styles[tone], className)}>
      {children}
    </span>
  )
}

interface StateBadgeProps extends Omit<BadgeProps, 'tone'> {
  look: DotLook
}

/** Shape, word and colour of a state, in one. */
export function StateBadge({ look, children, ...rest }: StateBadgeProps) {
  return (
    <Badge {...rest} tone={look.tone}>
      <StateDot {...look} />
      <span>{children}</span>
    </Badge>
  )
}
