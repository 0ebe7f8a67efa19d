import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './Panel.module.css'
import tones from './StateDot.module.css'
import type { Tone } from './tone.ts'

interface PanelProps {
  tone: Tone
  icon: ReactNode
  title: string
  text: ReactNode
  action?: ReactNode
  children?: ReactNode
  note?: ReactNode
}

/** Stands over a dimmed picture: what happened, when, how it is known, and one way on. */
export function Panel({ tone, icon, title, text, action, children, note }: PanelProps) {
  return (
    <div className={styles.cover}>
      <section className={styles.panel} aria-live="polite" data-testid="state-panel">
        <span className={classes(styles.icon, tones[tone])}>{icon}</span>
        <h2 className={styles.title}>{title}</h2>
        <p className={styles.text}>{text}</p>
        {children !== undefined && <div className={styles.body}>{children}</div>}
        {action !== undefined && action !== false && <div className={styles.action}>{action}</div>}
        {note !== undefined && <p className={styles.note}>{note}</p>}
      </section>
    </div>
  )
}
