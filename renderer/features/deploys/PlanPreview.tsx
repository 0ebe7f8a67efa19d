import { useEffect, useMemo, useState } from 'react'
import type { PlannedMachine } from '../../../shared/ipc-deploys.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import styles from './Deploys.module.css'
import { legLook, tagText } from './look.ts'
import formStyles from './NewDeploy.module.css'

interface PlanPreviewProps {
  machineIds: readonly string[]
  maxUnavailable: number
  tag: string
}

/** More machines than this are looked at only when someone asks. */
const byItself = 40
/** Typing settles first. */
const calmMs = 350

type Plan = { key: string; machines: readonly PlannedMachine[] } | { key: string; problem: ShownProblem }

/** What the deploy would meet if it began now: the order, the batches, who would be drained. */
export function PlanPreview({ machineIds, maxUnavailable, tag }: PlanPreviewProps) {
  const key = `${machineIds.join()} ${maxUnavailable}`
  const [plan, setPlan] = useState<Plan | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  const wanted = machineIds.length > 0 && (machineIds.length <= byItself || asked === key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for both
  useEffect(() => {
    if (!wanted) return
    let current = true
    const timer = setTimeout(() => {
      call('deploys.plan', { machineIds: [...machineIds], maxUnavailable }).then(
        ({ machines }) => current && setPlan({ key, machines }),
        (error) => current && setPlan({ key, problem: problemOf(error) }),
      )
    }, calmMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [key, wanted])
  if (machineIds.length === 0) return null
  return (
    <section
      className={formStyles.plan}
      aria-label="Plan"
      data-testid="plan"
      data-ready={plan?.key === key ? '' : undefined}
    >
      <h3 className={formStyles.legend}>Plan</h3>
      {!wanted && (
        <p className={styles.quiet}>
          {machineIds.length} machines.{' '}
          <Button variant="ghost" onClick={() => setAsked(key)}>
            Look at all of them
          </Button>
        </p>
      )}
      {wanted && plan?.key !== key && (
        <p className={styles.quiet} role="status">
          Looking at {machineIds.length === 1 ? 'the machine' : `${machineIds.length} machines`}…
        </p>
      )}
      {plan?.key === key &&
        ('problem' in plan ? <ErrorText problem={plan.problem} /> : <Batches machines={plan.machines} tag={tag} />)}
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
        {machine.tag === null ? 'nothing' : tagText(machine.tag)} → {tag === '' ? '…' : tagText(tag)}
      </span>
      {obstacle !== null && (
        <span className={styles[legLook(obstacle.state).tone]}>
          <StateDot {...legLook(obstacle.state)} /> {legLook(obstacle.state).word}: {obstacle.detail}
        </span>
      )}
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
