import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import styles from './Button.module.css'
import { classes } from './classes.ts'

export type ButtonVariant = 'default' | 'primary' | 'person' | 'danger' | 'ghost'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  variant?: ButtonVariant
  size?: 'normal' | 'large' | 'icon'
  icon?: ReactNode
  /** Something is under way because of this button: it turns, and takes no second press. */
  busy?: boolean
  disabled?: boolean
}

/** A button that stays focusable while it is busy or disabled, so that the keyboard is not thrown elsewhere. */
export function Button({
  variant = 'default',
  size = 'normal',
  icon,
  busy = false,
  disabled = false,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const inert = busy || disabled
  return (
    <button
      {...rest}
      type={type}
      className={classes(
        styles.button,
        variant !== 'default' && styles[variant],
        size !== 'normal' && styles[size],
        className,
      )}
      aria-disabled={inert || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (inert) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? <LoaderCircle size={15} className={styles.spin} aria-hidden /> : icon}
      {children}
    </button>
  )
}
