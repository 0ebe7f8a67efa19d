import { useMemo } from 'react'
import type { PlannedMachine } from '../../../shared/ipc-deploys.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Deploys.module.css'
import { legLook, tagText } from './look.ts'
import formStyles from './NewDeploy.module.css'
import { usePlan } from './usePlan.ts'

interface PlanPreviewProps {
  machineIds: readonly string[]
  maxUnavailable: number
  tag: string
}

/** What the deploy would meet if it began now: the order, the batches, who would be drained. */
export function PlanPreview({ machineIds, maxUnavailable, tag }: PlanPreviewProps) {
  const { look, lookNow, stop } = usePlan(machineIds, maxUnavailable)
  const count = machineIds.length
  if (count === 0) return null
  return (
    <section
      className={formStyles.plan}
      aria-label="Plan"
      data-testid="plan"
      data-ready={look.phase === 'looked' || look.phase === 'failed' ? '' : undefined}
    >
      <h3 className={formStyles.legend}>Plan</h3>
      {look.phase === 'offered' && (
        <p className={styles.quiet}>
          {count} machines.{' '}
          <Button variant="ghost" onClick={lookNow} data-testid="plan-look">
            Look at all of them
          </Button>
        </p>
      )}
      {look.phase === 'looking' && (
        <p className={styles.quiet}>
          <span role="status">Looking at {count === 1 ? 'the machine' : `${count} machines`}…</span>{' '}
          {count > 1 && `${look.looked} of ${count} `}
          <Button variant="ghost" onClick={stop} data-testid="plan-stop">
            Stop looking
          </Button>
        </p>
      )}
      {look.phase === 'failed' && <ErrorText problem={look.problem} />}
      {look.phase === 'looked' && look.looked < look.machines.length && (
        <p className={styles.quiet} data-testid="plan-partly">
          Stopped: {look.looked} of {look.machines.length} were looked at.{' '}
          <Button variant="ghost" onClick={lookNow}>
            Look again
          </Button>
        </p>
      )}
      {look.phase === 'looked' && look.looked > 0 && <Batches machines={look.machines} tag={tag} />}
    </section>
  )
}

function Batches({ machines, tag }: { machines: readonly PlannedMachine[]; tag: string }) {
  const batches = useMemo(() => Map.groupBy(machines, ({ batch }) => batch), [machines])
  const blocked = machines.filter(({ obstacle }) => obstacle !== null).length
  const jobs = machines.reduce((sum, one) => sum + jobsOf(one), 0)
  return (
    <>
      <p className={styles.quiet}>
        {jobs === 0 ? 'No worker has a job.' : `${jobs} job${jobs === 1 ? '' : 's'} would be waited for.`}
        {blocked > 0 && ` ${blocked} of ${machines.length} would not be deployed to as things are.`}
      </p>
      <ol className={formStyles.batches}>
        {[...batches].map(([batch, inIt]) => (
          <li key={batch} className={formStyles.batch}>
            <span className={formStyles.batchName}>Batch {batch + 1}</span>
            <ul>
              {inIt.map((machine) => (
                <PlannedRow key={machine.machineId} machine={machine} tag={tag} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </>
  )
}

function PlannedRow({ machine, tag }: { machine: PlannedMachine; tag: string }) {
  const { obstacle, workers } = machine
  const busy = workers?.filter(({ activeJobs }) => activeJobs > 0) ?? []
  return (
    <li className={formStyles.planned} data-testid={`planned-${machine.name}`}>
      <span className={formStyles.plannedName}>{machine.name}</span>
      <span className={styles.tag}>
        {workers === null ? '' : machine.tag === null ? 'nothing ' : `${tagText(machine.tag)} `}→{' '}
        {tag === '' ? '…' : tagText(tag)}
      </span>
      {obstacle !== null && (
        <span className={styles[legLook(obstacle.state).tone]}>
          <StateDot {...legLook(obstacle.state)} /> {legLook(obstacle.state).word}: {obstacle.detail}
        </span>
      )}
      {obstacle === null && workers === null && <span className={styles.quiet}>not looked at</span>}
      {obstacle === null && workers !== null && (
        <span className={styles.quiet}>
          {workers.length === 0 ? 'no workers' : `drains ${workers.length} worker${workers.length === 1 ? '' : 's'}`}
          {busy.map(({ workerId, activeJobs, currentJob }) => (
            <span key={workerId} className={formStyles.job}>
              {workerId}: {currentJob ?? `${activeJobs} job${activeJobs === 1 ? '' : 's'}`}
            </span>
          ))}
        </span>
      )}
    </li>
  )
}

const jobsOf = ({ workers }: PlannedMachine) => (workers ?? []).reduce((sum, { activeJobs }) => sum + activeJobs, 0)
