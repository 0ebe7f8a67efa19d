import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './Card.module.css'
import { classes } from './classes.ts'

interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  title?: string
  aside?: ReactNode
}

/** A bordered ground; with a title it is a named region. */
export function Card({ title, aside, className, children, ...rest }: CardProps) {
  const id = useId()
  if (title === undefined) {
    return (
      <section {...rest} className={classes(styles.card, className)}>
        {children}
      </section>
    )
  }
  return (
    <section {...rest} aria-labelledby={id} className={classes(styles.card, styles.titled, className)}>
      <header className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </header>
      {children}
    </section>
  )
}
