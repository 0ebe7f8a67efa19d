import type { MachineView } from '../../../shared/domain/machine.ts'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { troubleOf } from '../fleet/health.ts'
import { machineCondition } from '../live/condition.ts'
import { MetricsCard } from '../metrics/MetricsCard.tsx'
import { PowerCard } from '../power/PowerCard.tsx'
import { StateStrip } from '../state/StateStrip.tsx'
import styles from './Machine.module.css'
import { MachineFacts } from './MachineFacts.tsx'

/** What a machine is, what it can do, and how loaded it is. */
export function Overview({ machine }: { machine: MachineView }) {
  const trouble = troubleOf(machine)
  return (
    <div className={styles.overview} data-testid="overview">
      {machineCondition(machine) !== null ? (
        <div className={styles.wide}>
          <StateStrip machine={machine} />
        </div>
      ) : (
        trouble !== null && (
          <div className={styles.wide}>
            <ErrorText problem={trouble} />
          </div>
        )
      )}
      <Card title="Machine">
        <MachineFacts machine={machine} />
      </Card>
      <PowerCard machine={machine} />
      <MetricsCard machine={machine} />
      <Capabilities machine={machine} />
    </div>
  )
}

function Capabilities({ machine }: { machine: MachineView }) {
  const capabilities = Object.entries(machine.capabilities)
  if (capabilities.length === 0) return null
  const working = capabilities.filter(([, capability]) => capability.available).length
  return (
    <Card title="What works on it" aside={`${working} of ${capabilities.length}`} className={styles.wide ?? ''}>
      <ul className={styles.capabilities}>
        {capabilities.map(([name, capability]) => (
          <li key={name} className={styles.capability}>
            <StateDot tone={capability.available ? 'up' : 'off'} shape={capability.available ? 'round' : 'square'} />
            <span>
              {name} <span className="visually-hidden">{capability.available ? 'works' : 'is missing'}</span>
            </span>
            {capability.detail !== '' && <p>{capability.detail}</p>}
            {capability.install !== null && (
              <span className={styles.command}>
                <code>{capability.install}</code>
                <CopyButton text={capability.install} label="Copy the command" />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
