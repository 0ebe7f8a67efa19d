import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { Kbd } from './Kbd.tsx'
import styles from './Popup.module.css'

export interface MenuEntry {
  id: string
  title: string
  icon?: ReactNode
  keys?: string | undefined
  danger?: boolean
  /** A line above it. */
  separated?: boolean
  run: () => void
}

interface MenuProps {
  trigger: ReactElement
  entries: readonly MenuEntry[]
  align?: 'start' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** Where the focus goes afterwards, if not back to the button. */
  focusAfter?: () => HTMLElement | null
}

/** A list of actions behind a button. */
export function Menu({ trigger, entries, align = 'end', open, onOpenChange, focusAfter }: MenuProps) {
  return (
    <Base.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange: (next: boolean) => onOpenChange(next) })}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={5} align={align}>
          <Base.Popup
            className={styles.popup}
            finalFocus={focusAfter === undefined ? true : () => focusAfter() ?? true}
            onClick={(event) => event.stopPropagation()}
          >
            <MenuEntries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The entries of a menu, wherever it opens. */
export function MenuEntries({ entries }: { entries: readonly MenuEntry[] }) {
  return entries.flatMap((entry) => [
    entry.separated === true && <Base.Separator key={`${entry.id}-line`} className={styles.separator} />,
    <Base.Item
      key={entry.id}
      className={styles.item}
      data-danger={entry.danger === true ? '' : undefined}
      data-testid={`menu-${entry.id}`}
      onClick={entry.run}
    >
      {entry.icon}
      {entry.title}
      {entry.keys !== undefined && (
        <span className={styles.itemKeys}>
          <Kbd keys={entry.keys} />
        </span>
      )}
    </Base.Item>,
  ])
}
