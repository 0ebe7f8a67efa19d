import type { Metrics } from '../../../shared/contract/machine.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Sparkline } from '../../ui/Sparkline.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { formatMegabytes, formatRate } from './figures.ts'
import { useHistory } from './history.store.ts'
import { environmentNames, machineTypeNames } from './look.ts'
import styles from './Machine.module.css'

/** What a machine is, what it can do, and how loaded it is. */
export function Overview({ machine }: { machine: MachineView }) {
  return (
    <div className={styles.overview}>
      {machine.problem !== null && (
        <div className={styles.wide}>
          <ErrorText problem={{ ...machine.problem, title: 'What the last check found' }} />
        </div>
      )}
      <Card title="Machine">
        <Facts machine={machine} />
      </Card>
      <Load machine={machine} />
      <Capabilities machine={machine} />
    </div>
  )
}

function Facts({ machine }: { machine: MachineView }) {
  const agent =
    machine.agentVersion === null
      ? 'not known yet'
      : `${machine.agentVersion} · ${machine.compatibility ?? 'fits this console'}`
  const facts: [term: string, value: string, mono?: boolean][] = [
    ['Environment', environmentNames[machine.environment]],
    ['Type', machineTypeNames[machine.machineType]],
    ['Address', machine.address, true],
    ['Hostname', machine.hostname ?? 'not known yet', machine.hostname !== null],
    ['System', machine.os ?? 'not known yet'],
    ['Agent', agent],
    ...powerFacts(machine),
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([term, value, mono]) => (
        <div key={term} className={styles.fact}>
          <dt>{term}</dt>
          <dd data-mono={mono === true ? '' : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function powerFacts({ power, provider, autoStop }: MachineView): [term: string, value: string, mono?: boolean][] {
  const facts: [term: string, value: string, mono?: boolean][] = []
  if (provider?.kind === 'ec2') facts.push(['Instance', `${provider.instanceId} · ${provider.account.region}`, true])
  if (power.at !== null || power.problem !== null) facts.push(['EC2 says', power.problem?.detail ?? power.state])
  if (power.instanceType !== null) {
    const cost = power.costPerHour
    facts.push([
      'Costs',
      cost === null
        ? `${power.instanceType}, price not known`
        : `$${cost.usd} per hour (${power.instanceType}, as of ${cost.asOf})`,
    ])
  }
  if (autoStop.enabled) facts.push(['Auto-stop', `after ${autoStop.idleMinutes} idle minutes`])
  return facts
}

const noReadings: readonly Metrics[] = []

function Load({ machine }: { machine: MachineView }) {
  const seen = useHistory((state) => state.metrics[machine.id] ?? noReadings)
  const now = machine.metrics
  if (now === null)
    return (
      <Card title="Load">
        <EmptyState title="No figures yet" text="They come with the first answer of the agent." />
      </Card>
    )
  const readings = seen.length === 0 ? [now] : seen
  const rate = ({ network }: Metrics) => network.rxBytesPerSec + network.txBytesPerSec
  const figures = [
    {
      title: 'CPU',
      now: `${Math.round(now.cpu.usagePercent)} %`,
      of: `of ${now.cpu.cores} core${now.cpu.cores === 1 ? '' : 's'}`,
      values: readings.map((reading) => reading.cpu.usagePercent),
      max: 100,
    },
    {
      title: 'Memory',
      now: formatMegabytes(now.memory.usedMb),
      of: `of ${formatMegabytes(now.memory.totalMb)}`,
      values: readings.map((reading) => reading.memory.usagePercent),
      max: 100,
    },
    {
      title: 'Disk',
      now: `${now.disk.usedGb.toFixed(1)} GB`,
      of: `of ${now.disk.totalGb.toFixed(1)} GB`,
      values: readings.map((reading) => reading.disk.usagePercent),
      max: 100,
    },
    {
      title: 'Network',
      now: `↓ ${formatRate(now.network.rxBytesPerSec)}`,
      of: `↑ ${formatRate(now.network.txBytesPerSec)}`,
      values: readings.map(rate),
      max: Math.max(1000, ...readings.map(rate)),
    },
  ]
  return (
    <Card
      title="Load"
      aside={
        <>
          {machine.knownFrom === 'cache' ? 'as of ' : 'verified '}
          <Age at={machine.lastVerifiedAt} />
        </>
      }
    >
      <dl className={styles.metrics}>
        {figures.map((figure) => (
          <div key={figure.title} className={styles.metric}>
            <dt>{figure.title}</dt>
            <dd>
              {figure.now}
              <small>{figure.of}</small>
              <Sparkline values={figure.values} max={figure.max} label={`${figure.title} since this window opened`} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
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
