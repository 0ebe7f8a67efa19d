import { type ComponentProps, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'
import styles from './Field.module.css'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  children: (control: {
    id: string
    'aria-invalid': boolean | undefined
    'aria-describedby': string | undefined
  }) => ReactNode
}

/** A label, a control, and under it what is wrong or what may help. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const described = error !== undefined || hint !== undefined
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': described ? `${id}-note` : undefined,
      })}
      {described && (
        <span id={`${id}-note`} className={error === undefined ? styles.hint : styles.error}>
          {error ?? hint}
        </span>
      )}
    </div>
  )
}

/** A line of text. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input spellCheck={false} autoComplete="off" {...rest} className={classes(styles.input, className)} />
}

/** Several lines of text. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={3} {...rest} className={classes(styles.input, className)} />
}
