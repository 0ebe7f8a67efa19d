import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import styles from './Tabs.module.css'

interface TabsProps<Value extends string> {
  label: string
  value: Value
  onChange: (value: Value) => void
  tabs: readonly { value: Value; title: string; icon: ReactNode; content: ReactNode }[]
}

/** Panels of one thing, one at a time. */
export function Tabs<Value extends string>({ label, value, onChange, tabs }: TabsProps<Value>) {
  return (
    <Base.Root className={styles.root} value={value} onValueChange={(next: Value) => onChange(next)}>
      <Base.List className={styles.list} aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles.tab} data-testid={`tab-${tab.value}`}>
            {tab.icon}
            {tab.title}
          </Base.Tab>
        ))}
        <Base.Indicator className={styles.indicator} />
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={styles.panel} tabIndex={-1}>
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
