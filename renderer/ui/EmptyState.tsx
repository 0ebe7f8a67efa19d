import type { ReactNode } from 'react'
import styles from './EmptyState.module.css'

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  text?: ReactNode
  action?: ReactNode
}

/** Where there is nothing: why, and the way on. */
export function EmptyState({ icon, title, text, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      {icon}
      <h2 className={styles.title}>{title}</h2>
      {text !== undefined && <div className={styles.text}>{text}</div>}
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </div>
  )
}
