import { X } from 'lucide-react'
import { keysOf } from '../../app/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { batchActions } from './batch-actions.tsx'
import styles from './Fleet.module.css'
import { selectNone } from './view.store.ts'

/** In place of the filters while machines are selected: how many, and what can be done with them. */
export function SelectionBar({ count, hidden }: { count: number; hidden: number }) {
  return (
    <div className={styles.selection} role="toolbar" aria-label="Selected machines" data-testid="selection">
      <IconButton
        label="Select nothing"
        icon={<X size={15} aria-hidden />}
        keys={keysOf('fleet.select-none')}
        onClick={selectNone}
      />
      <span role="status">
        <strong>{count}</strong> selected{hidden > 0 && `, ${hidden} of them not shown`}
      </span>
      {batchActions.map(({ id, title, icon, run }) => (
        <Tooltip key={id} text={<Kbd keys={keysOf(id) ?? ''} />}>
          <Button icon={icon} data-testid={id} onClick={run}>
            {title}
          </Button>
        </Tooltip>
      ))}
    </div>
  )
}
