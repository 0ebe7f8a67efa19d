import type { ReactNode } from 'react'
import styles from './Check.module.css'

interface CheckProps {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
  /** A sentence under it. */
  hint?: ReactNode
  testId?: string
}

/** Yes or no, with what it means. */
export function Check({ checked, onChange, children, hint, testId }: CheckProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={checked}
        data-testid={testId}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {children}
        {hint !== undefined && <small className={styles.hint}>{hint}</small>}
      </span>
    </label>
  )
}
