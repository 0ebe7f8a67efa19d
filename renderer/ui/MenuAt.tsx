import { Menu as Base } from '@base-ui/react/menu'
import { MenuEntries, type MenuEntry } from './Menu.tsx'
import styles from './Popup.module.css'

interface MenuAtProps {
  anchor: Element | null
  entries: readonly MenuEntry[]
  onClose: () => void
}

/** A menu beside something that is not its button: a tile, a row. Open as long as it is there. */
export function MenuAt({ anchor, entries, onClose }: MenuAtProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner className={styles.positioner} anchor={anchor} sideOffset={5} align="start">
          <Base.Popup className={styles.popup} finalFocus={false}>
            <MenuEntries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
