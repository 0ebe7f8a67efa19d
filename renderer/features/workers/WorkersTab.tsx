import { Plus } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import type { WireProblem } from '../../../shared/errors.ts'
import { problemOf } from '../../app/bridge.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import { isReachable, whyNot } from '../machine/reach.ts'
import tab from '../machine/Tab.module.css'
import { StateStrip } from '../state/StateStrip.tsx'
import { refreshWorkers } from './operations.ts'
import { StartWorker } from './StartWorker.tsx'
import { noWorkersIcon, WorkersTable } from './WorkersTable.tsx'
import { rowsOf, useWorkers } from './workers.store.ts'

/** The workers of one machine, followed by its events. */
export function WorkersTab({ machine }: { machine: MachineView }) {
  const known = useWorkers((state) => state.known)
  const rows = useMemo(() => rowsOf([machine], known), [machine, known])
  const [problem, setProblem] = useState<WireProblem | null>(null)
  const [starting, setStarting] = useState(false)
  const reachable = isReachable(machine)
  useEffect(() => {
    if (!reachable) return
    let over = false
    refreshWorkers(machine.id).then(
      () => !over && setProblem(null),
      (error: unknown) => !over && setProblem(problemOf(error)),
    )
    return () => {
      over = true
    }
  }, [machine.id, reachable])
  const why = whyNot(machine)
  const at = known[machine.id]?.at
  const [left, setLeft] = useState(false)
  const waiting = at === undefined && reachable && problem === null && !left
  return (
    <div className={tab.tab} data-testid="workers-tab">
      <StateStrip machine={machine} />
      {problem !== null && <ErrorText problem={problem} />}
      {waiting ? (
        <Waiting
          label={`Reading the workers of ${machine.name}`}
          wayOut={{ title: 'Stop waiting', run: () => setLeft(true) }}
        />
      ) : (
        <WorkersTable
          label={`Workers of ${machine.name}`}
          rows={rows}
          onOpen={() => {}}
          tools={
            <Button
              icon={<Plus size={15} aria-hidden />}
              disabled={why !== undefined}
              title={why}
              data-testid="worker-start"
              onClick={() => setStarting(true)}
            >
              Start a worker
            </Button>
          }
          end={
            at !== undefined && (
              <span className={tab.fresh} data-old={reachable ? undefined : ''} data-testid="freshness">
                {reachable ? 'last change ' : 'last known '}
                <Age at={at} />
              </span>
            )
          }
          empty={
            <EmptyState
              icon={noWorkersIcon}
              title={at === undefined ? 'Nothing is known of its workers' : 'No workers'}
              text={
                at === undefined
                  ? 'This console has not seen them yet.'
                  : 'Workers come with the first deploy; then more can be started here.'
              }
            />
          }
        />
      )}
      <StartWorker machine={machine} open={starting} onClose={() => setStarting(false)} />
    </div>
  )
}
