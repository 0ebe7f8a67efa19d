import { Check, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { SwitchRecord } from '../../../shared/contract/engines.ts'
import type { CallResult } from '../../../shared/contract/index.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { callAgent, problemOf } from '../../app/bridge.ts'
import { useBusy, work } from '../../app/work.ts'
import { Age } from '../../ui/Age.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorText, type ShownProblem } from '../../ui/ErrorText.tsx'
import { Select } from '../../ui/Select.tsx'
import { formatDuration, formatTime } from '../../ui/time.ts'
import styles from './Engine.module.css'
import { driverTitle, setConfig, setFirsts, useEngineConfig } from './engine.store.ts'
import { stepShares } from './steps.ts'

type Stats = CallResult<'engine.stats'>

interface EngineDetailsProps {
  machine: MachineView
  open: boolean
  onClose: () => void
}

/** How engines changed here and how well they did, and which is to come first. */
export function EngineDetails({ machine, open, onClose }: EngineDetailsProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Engines of ${machine.name}`} wide>
      <Details machine={machine} />
    </Dialog>
  )
}

function Details({ machine }: { machine: MachineView }) {
  const [switches, setSwitches] = useState<readonly SwitchRecord[] | null>(null)
  const [stats, setStats] = useState<Stats | null>(null)
  const [problem, setProblem] = useState<ShownProblem | null>(null)
  useEffect(() => {
    let gone = false
    Promise.all([
      callAgent(machine.id, 'engine.history', { limit: 50 }),
      callAgent(machine.id, 'engine.stats', {}),
    ]).then(
      ([history, figures]) => {
        if (gone) return
        setSwitches(history.switches)
        setStats(figures)
        setFirsts(machine.id, figures)
      },
      (error) => !gone && setProblem(problemOf(error)),
    )
    return () => {
      gone = true
    }
  }, [machine.id])
  if (problem !== null) return <ErrorText problem={problem} />
  if (switches === null || stats === null) return <p role="status">Asking {machine.name}…</p>
  return (
    <div className={styles.details} data-testid="engine-details">
      <Platforms machine={machine} stats={stats} onStats={setStats} />
      <section>
        <h3>Success by platform</h3>
        {stats.engines.length === 0 ? (
          <p className={styles.quiet}>No engine has done anything here yet.</p>
        ) : (
          <table className={styles.table} data-testid="engine-rates">
            <thead>
              <tr>
                <th>Platform</th>
                <th>Engine</th>
                <th>Operations</th>
                <th>Success</th>
                <th>Mean</th>
                <th>95 %</th>
              </tr>
            </thead>
            <tbody>
              {stats.engines.map((one) => (
                <tr key={`${one.platform} ${one.engine} ${one.mode}`}>
                  <td>{one.platform}</td>
                  <td>{driverTitle(one)}</td>
                  <td>{one.operations}</td>
                  <td>{Math.round(one.successRate * 100)} %</td>
                  <td>{formatDuration(one.meanMs)}</td>
                  <td>{formatDuration(one.p95Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section>
        <h3>Switches</h3>
        {switches.length === 0 ? (
          <p className={styles.quiet}>No engine has made way for another yet.</p>
        ) : (
          <ol className={styles.switches} data-testid="engine-switches">
            {switches.map((record) => (
              <Switch key={record.id} record={record} />
            ))}
          </ol>
        )}
      </section>
    </div>
  )
}

function Switch({ record }: { record: SwitchRecord }) {
  return (
    <li className={styles.switch}>
      <header>
        <span className={styles.verdict} data-ok={record.success ? '' : undefined}>
          {record.success ? <Check size={14} aria-hidden /> : <X size={14} aria-hidden />}
        </span>
        <b>
          {driverTitle(record.from)} → {driverTitle(record.to)}
        </b>
        {!record.success && <span className={styles.broken}>failed</span>}
        <span className={styles.reason}>{record.detail === '' ? record.reason : record.detail}</span>
        <time dateTime={record.time} title={new Date(record.time).toLocaleString()}>
          {formatTime(record.time)} · <Age at={record.time} />
        </time>
        <span>{formatDuration(record.durationMs)}</span>
      </header>
      <ol className={styles.steps} aria-label="Steps">
        {stepShares(record.steps).map(({ step, key, share }) => (
          <li key={key} data-result={step.result} style={{ flexGrow: share }} title={step.detail}>
            <span>{step.step}</span>
            <small>{step.result === 'skipped' ? 'skipped' : formatDuration(step.ms)}</small>
          </li>
        ))}
      </ol>
    </li>
  )
}

const pinChoices = {
  none: 'Not pinned',
  'stagehand/dom': 'Stagehand dom',
  'stagehand/cua': 'Stagehand cua',
  magnitude: 'Magnitude',
} as const

/** Which engine comes first on each platform, why, and the operator's own word on it. */
function Platforms({
  machine,
  stats,
  onStats,
}: {
  machine: MachineView
  stats: Stats
  onStats: (stats: Stats) => void
}) {
  const config = useEngineConfig(machine.id)
  const busy = useBusy(`pin:${machine.id}`)
  const pins: Readonly<Record<string, keyof typeof pinChoices | undefined>> = config?.pins ?? {}
  const pin = (platform: string, name: keyof typeof pinChoices) =>
    work(`pin:${machine.id}`, 'Pinning', async () => {
      const { [platform]: _old, ...others } = pins
      const next = name === 'none' ? others : { ...others, [platform]: name }
      setConfig(machine.id, await callAgent(machine.id, 'engine.setConfig', { pins: next as never }))
      const stats = await callAgent(machine.id, 'engine.stats', {})
      onStats(stats)
      setFirsts(machine.id, stats)
    })
  return (
    <section>
      <h3>First engine by platform</h3>
      <table className={styles.table} data-testid="engine-orders" aria-busy={busy}>
        <thead>
          <tr>
            <th>Platform</th>
            <th>First</th>
            <th>Why</th>
            <th>Pin</th>
          </tr>
        </thead>
        <tbody>
          {stats.orders.map(({ platform, first, why }) => (
            <tr key={platform} data-platform={platform}>
              <td>{platform}</td>
              <td>{driverTitle(first)}</td>
              <td className={styles.why}>{why}</td>
              <td>
                <Select
                  label={`Pin for ${platform}`}
                  value={pins[platform] ?? 'none'}
                  options={pinChoices}
                  onChange={(name) => void pin(platform, name)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
