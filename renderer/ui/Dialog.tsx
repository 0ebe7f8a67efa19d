import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './Dialog.module.css'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  wide?: boolean
  /** As wide as the window allows, for things side by side. */
  broad?: boolean
  /** `full` takes most of the window, for tables and long texts. */
  size?: 'full'
  children: ReactNode
}

/** A question or a form above everything else. Escape and a click beside it close it. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, wide = false, broad = false, size, children } = props
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          data-dialog=""
          className={classes(styles.popup, wide && styles.wide, broad && styles.broad, size === 'full' && styles.full)}
        >
          <div className={styles.content}>
            <div>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className={styles.description}>{description}</Base.Description>
              )}
            </div>
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** The row of buttons at a dialog's end. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}

/** A dialog without a visible title, near the top: for a palette. */
export function TopDialog({
  open,
  onClose,
  title,
  children,
}: Omit<DialogProps, 'wide' | 'broad' | 'size' | 'description'>) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup data-dialog="" className={classes(styles.popup, styles.wide, styles.top)}>
          <Base.Title className="visually-hidden">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
