import { memo, useMemo } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import styles from './Fleet.module.css'
import { countGroups, type Group, groupNames, groups } from './summary.ts'

interface SummaryCardsProps {
  machines: readonly MachineView[]
  chosen: Group | null
  onChoose: (group: Group | null) => void
}

/** How the fleet stands, in six numbers; each shows its machines when pressed. Typing in the search leaves them alone. */
export const SummaryCards = memo(function SummaryCards({ machines, chosen, onChoose }: SummaryCardsProps) {
  const counts = useMemo(() => countGroups(machines), [machines])
  return (
    <div className={styles.cards}>
      {groupNames.map((group) => {
        const count = counts[group]
        return (
          <button
            key={group}
            type="button"
            className={styles.card}
            aria-pressed={chosen === group}
            data-testid={`summary-${group}`}
            data-person={group === 'attention' && count > 0 ? '' : undefined}
            onClick={() => onChoose(group === 'total' || chosen === group ? null : group)}
          >
            {groups[group].title}
            <span className={styles.figure}>
              {count}
              {group === 'healthy' && <small>of {counts.running}</small>}
            </span>
          </button>
        )
      })}
    </div>
  )
})
