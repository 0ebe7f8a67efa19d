import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './Popup.module.css'

interface PopoverProps {
  trigger: ReactElement
  title: string
  open: boolean
  onOpenChange: (open: boolean) => void
  align?: 'start' | 'end'
  /** Where the focus goes afterwards, if not back to the button. */
  focusAfter?: () => HTMLElement | null
  children: ReactNode
}

/** A small form beside the button that opened it. */
export function Popover({ trigger, title, open, onOpenChange, align = 'end', focusAfter, children }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={6} align={align}>
          <Base.Popup
            className={classes(styles.popup, styles.popover)}
            finalFocus={focusAfter === undefined ? true : () => focusAfter() ?? true}
          >
            <Base.Title className="visually-hidden">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
