import type { MachineView } from '../../../shared/domain/machine.ts'
import styles from './Fleet.module.css'
import { type Group, groups } from './summary.ts'

interface SummaryCardsProps {
  machines: readonly MachineView[]
  chosen: Group | null
  onChoose: (group: Group | null) => void
}

/** How the fleet stands, in six numbers; each shows its machines when pressed. */
export function SummaryCards({ machines, chosen, onChoose }: SummaryCardsProps) {
  const running = machines.filter(groups.running.has).length
  return (
    <div className={styles.cards}>
      {(Object.keys(groups) as Group[]).map((group) => {
        const count = machines.filter((machine) => groups[group].has(machine)).length
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
              {group === 'healthy' && <small>of {running}</small>}
            </span>
          </button>
        )
      })}
    </div>
  )
}
