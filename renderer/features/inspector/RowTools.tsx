import type { ReactNode } from 'react'
import tools from './tools.module.css'

/** The buttons of a row: a press on one of them is not a press on the row. */
export function RowTools({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the buttons' clicks to themselves
    <div className={tools.tools} onClick={(event) => event.stopPropagation()} onKeyDown={keepKeys}>
      {children}
    </div>
  )
}

/** Enter and space on a button are the button's; everything else is the table's. */
function keepKeys(event: { key: string; stopPropagation: () => void }): void {
  if (event.key === 'Enter' || event.key === ' ') event.stopPropagation()
}
