import { RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Diagnostics } from '../../../shared/ipc-power.ts'
import { call, problemOf } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { toast } from '../../ui/Toast.tsx'
import styles from './Diagnostics.module.css'

/** Often enough to watch something happen, seldom enough not to be what happens. */
const refreshMs = 3000

/** How this console is doing, and all of it as one text for a bug report. */
export function DiagnosticsScreen() {
  const [found, setFound] = useState<Diagnostics | null>(null)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  const busy = useBusy('reconcile')
  useEffect(() => {
    const look = () =>
      call('diagnostics.get', {}).then(
        (diagnostics) => {
          setFound(diagnostics)
          setProblem(null)
        },
        (error) => setProblem(problemOf(error)),
      )
    void look()
    const timer = setInterval(() => void look(), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const reconcile = () =>
    work('reconcile', 'The reconciliation', async () => {
      const { checked, corrected, failed } = await call('fleet.reconcile', {})
      toast({
        title: `${corrected} of ${checked} corrected`,
        detail: failed === 0 ? 'The cache is true now.' : `${failed} could not be asked.`,
        id: 'reconcile',
      })
    })
  if (found === null)
    return problem === null ? (
      <div role="status" aria-label="Reading the diagnostics" />
    ) : (
      <ErrorText problem={problem} />
    )
  return (
    <div className={styles.screen} data-testid="diagnostics">
      {problem !== null && <ErrorText problem={problem} />}
      <Card title="Fleet">
        <Facts facts={fleetFacts(found)} />
      </Card>
      <Card
        title="Truth"
        aside={
          <Button
            icon={<RefreshCw size={14} aria-hidden />}
            busy={busy}
            data-testid="reconcile"
            onClick={() => void reconcile()}
          >
            Reconcile now
          </Button>
        }
      >
        <Facts facts={truthFacts(found)} />
        {found.reconciliation.last !== null && (
          <p className={styles.note}>
            Last reconciliation <Age at={found.reconciliation.last.at} />: {found.reconciliation.last.checked} checked,{' '}
            {found.reconciliation.last.corrected} corrected.
          </p>
        )}
      </Card>
      <Card title="Versions">
        <Facts facts={Object.entries(found.versions)} />
      </Card>
      <Card
        title="For a bug report"
        className={styles.report ?? ''}
        aside={<CopyButton text={found.text} label="Copy all as text" />}
      >
        <pre className={styles.text} data-testid="diagnostics-text">
          {found.text}
        </pre>
      </Card>
    </div>
  )
}

function fleetFacts(found: Diagnostics): [string, string][] {
  const states = Object.entries(found.sandboxes).map(([state, count]) => `${count} ${state}`)
  return [
    ['Sandboxes', states.join(', ') || 'none'],
    ['Open tunnels', String(found.openTunnels)],
    ['Open streams', String(found.openStreams)],
    ['Audit of this console', `${found.audit.entries} links`],
  ]
}

function truthFacts(found: Diagnostics): [string, string][] {
  const { total, failed } = found.verifications
  const latency = found.eventLatencyMs
  return [
    ['Transitions in the last hour', String(found.transitionsLastHour)],
    [
      'Verifications that failed',
      total === 0 ? 'none made yet' : `${failed} of ${total} (${((failed / total) * 100).toFixed(1)} %)`,
    ],
    ['Corrections', `${found.reconciliation.corrections} in ${found.reconciliation.rounds} reconciliations`],
    [
      'Event latency',
      latency === null ? 'no events yet' : `${Math.round(latency.p50)} ms, 95 % within ${Math.round(latency.p95)} ms`,
    ],
  ]
}

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
