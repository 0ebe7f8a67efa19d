import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CallResult } from '../../../shared/contract/index.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import styles from './Navigation.module.css'
import { shownAddress } from './shownAddress.ts'

export type PageTab = CallResult<'tabs.list'>['tabs'][number]

interface PageTabsProps {
  /** Stands before the test ids. */
  id: string
  tabs: readonly PageTab[]
  /** The one that is shown here, which need not be the one in front. */
  shown: string | undefined
  /** Whether another can be chosen. */
  choosable: boolean
  /** Whether one can be closed. */
  closable: boolean
  onChoose: (tab: PageTab) => void
  onClose: (tab: PageTab) => void
  children?: ReactNode
}

/** The tabs of the machine's browser, which itself shows none. */
export function PageTabs({ id, tabs, shown, choosable, closable, onChoose, onClose, children }: PageTabsProps) {
  return (
    <div className={styles.tabs} role="toolbar" aria-label="Tabs of the browser" data-testid={`${id}-tabs`}>
      {tabs.map((tab) => (
        <span key={tab.id} className={styles.tab} data-active={tab.id === shown ? '' : undefined}>
          <button
            type="button"
            aria-pressed={tab.id === shown}
            aria-disabled={!choosable || undefined}
            title={tab.url}
            data-testid={`${id}-tab`}
            onClick={() => choosable && onChoose(tab)}
          >
            {tab.active && (
              <Tooltip text="In front">
                <span className={styles.front} role="img" aria-label="In front" />
              </Tooltip>
            )}
            <span>{tab.title || shownAddress(tab.url)}</span>
          </button>
          {tabs.length > 1 && closable && (
            <IconButton
              label={`Close ${tab.title || 'the tab'}`}
              icon={<X size={13} aria-hidden />}
              onClick={() => onClose(tab)}
            />
          )}
        </span>
      ))}
      {children}
    </div>
  )
}
