import { useEffect, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { Rollout } from '../../../shared/domain/rollout.ts'
import { call } from '../../app/bridge.ts'
import { Age } from '../../ui/Age.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Deploys.module.css'
import historyStyles from './History.module.css'
import { legLook, tagText } from './look.ts'

/** Of a machine that cannot be asked: what this console deployed there itself. */
export function RememberedDeploys({ machine }: { machine: MachineView }) {
  const [rollouts, setRollouts] = useState<readonly Rollout[] | null>(null)
  useEffect(() => {
    let current = true
    call('deploys.history', { machineId: machine.id, limit: 50 }).then(
      (found) => current && setRollouts(found.rollouts),
      () => current && setRollouts([]),
    )
    return () => {
      current = false
    }
  }, [machine.id])
  if (rollouts === null) return null
  const rows = rollouts.flatMap((rollout) => {
    const leg = rollout.legs.find(({ machineId }) => machineId === machine.id)
    return leg === undefined || leg.startedAt === null ? [] : [{ rollout, leg }]
  })
  if (rows.length === 0)
    return (
      <EmptyState
        title="The machine cannot be asked"
        text="It keeps the record of its deploys itself, and this console has deployed nothing there."
      />
    )
  return (
    <>
      <p className={styles.quiet}>The machine cannot be asked. This is what was deployed there from this console.</p>
      <table className={historyStyles.table}>
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">State</span>
            </th>
            <th>Tag</th>
            <th>Result</th>
            <th>Who</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ rollout, leg }) => (
            <tr key={rollout.id}>
              <td>
                <StateDot {...legLook(leg.state)} hollow />
              </td>
              <td className={styles.tag}>{tagText(rollout.tag)}</td>
              <td>{legLook(leg.state).word}</td>
              <td>{rollout.operator}</td>
              <td>
                <Age at={leg.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
