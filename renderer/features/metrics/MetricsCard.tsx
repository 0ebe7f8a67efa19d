import { useState } from 'react'
import type { Metrics } from '../../../shared/contract/machine.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatTime } from '../../ui/time.ts'
import { formatMegabytes, formatRate } from '../machine/figures.ts'
import { isReachable } from '../machine/reach.ts'
import { type ChartFrame, LoadChart, type LoadChartProps } from './LoadChart.tsx'
import styles from './Metrics.module.css'
import { RangePicker } from './RangePicker.tsx'
import { type Range, ranges } from './series.ts'
import { useMetricsHistory } from './useMetricsHistory.ts'

const spans = Object.keys(ranges) as Range[]
const percent = (value: number) => `${Math.round(value)} %`

/** CPU, memory, disk and network over time; the cursor moves in all of them together. */
export function MetricsCard({ machine }: { machine: MachineView }) {
  const [range, setRange] = useState<Range>('1h')
  const history = useMetricsHistory(machine, range)
  const [hover, setHover] = useState<number | null>(null)
  const { lines } = history
  const now = machine.metrics
  const at = hover === null ? null : (lines.times[hover] ?? null)
  const { times } = lines
  const { from, to, loading } = history
  const frame: ChartFrame = { times, from, to, loading, hover, onHover: setHover, sync: `load-${machine.id}` }
  const charts: LoadChartProps[] = [
    {
      title: 'CPU',
      now:
        now === null
          ? null
          : [percent(now.cpu.usagePercent), `of ${now.cpu.cores === 1 ? '1 core' : `${now.cpu.cores} cores`}`],
      series: [{ label: 'CPU', tone: 'engine', values: lines.cpu }],
      max: 100,
      format: percent,
    },
    {
      title: 'Memory',
      now: now === null ? null : memoryNow(now),
      series: [{ label: 'Memory', tone: 'engine', values: lines.memory }],
      max: 100,
      format: percent,
    },
    {
      title: 'Disk',
      now:
        now === null
          ? null
          : [percent(now.disk.usagePercent), `${now.disk.usedGb.toFixed(1)} of ${now.disk.totalGb.toFixed(1)} GB`],
      series: [{ label: 'Disk', tone: 'engine', values: lines.disk }],
      max: 100,
      format: percent,
    },
    {
      title: 'Network',
      now:
        now === null
          ? null
          : [`↓ ${formatRate(now.network.rxBytesPerSec)}`, `↑ ${formatRate(now.network.txBytesPerSec)}`],
      series: [
        { label: 'in', tone: 'engine', values: lines.rx },
        { label: 'out', tone: 'up', values: lines.tx },
      ],
      topAtLeast: 1000,
      format: formatRate,
    },
  ]
  return (
    <Card
      title="Load"
      className={styles.card ?? ''}
      data-testid="metrics"
      aside={
        <span className={styles.aside}>
          <span data-testid="metrics-at">
            {at === null ? (
              <>
                {isReachable(machine) ? 'verified ' : 'last known '}
                <Age at={machine.lastVerifiedAt} />
              </>
            ) : (
              `at ${formatTime(new Date(at * 1000).toISOString())}`
            )}
          </span>
          <RangePicker value={range} among={spans} onChange={setRange} />
        </span>
      }
    >
      <div className={styles.charts}>
        {charts.map((chart) => (
          <LoadChart key={chart.title} {...chart} frame={frame} />
        ))}
      </div>
    </Card>
  )
}

function memoryNow({ memory }: Metrics): [string, string] {
  return [percent(memory.usagePercent), `${formatMegabytes(memory.usedMb)} of ${formatMegabytes(memory.totalMb)}`]
}
