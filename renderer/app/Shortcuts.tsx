import { Button } from '../ui/Button.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { nameOf } from './action-names.ts'
import { currentActions } from './actions.ts'
import styles from './Palette.module.css'
import { go } from './route.ts'
import { show, useUi } from './ui.store.ts'

/** Every key there is. */
export function Shortcuts() {
  const open = useUi((state) => state.open === 'shortcuts')
  return (
    <Dialog open={open} onClose={() => show('none')} title="Keys" wide>
      {open &&
        Object.entries(Object.groupBy(currentActions(), ({ group }) => group)).map(([group, actions = []]) => (
          <section key={group} aria-label={group}>
            <h3 className={styles.keysGroup}>{group}</h3>
            <ul className={styles.shortcuts}>
              {actions.map((action) => (
                <li key={action.id} className={styles.shortcut}>
                  {nameOf(action)}
                  <Kbd keys={action.keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      <DialogActions>
        <Button
          onClick={() => {
            show('none')
            go({ screen: 'settings', section: 'shortcuts' })
          }}
        >
          Change keys…
        </Button>
      </DialogActions>
    </Dialog>
  )
}
