import { useState } from 'react'
import type { Metrics } from '../../../shared/contract/machine.ts'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Age } from '../../ui/Age.tsx'
import { Card } from '../../ui/Card.tsx'
import { Chart, type ChartSeries } from '../../ui/Chart.tsx'
import { formatTime } from '../../ui/time.ts'
import { formatMegabytes, formatRate } from '../machine/figures.ts'
import { isReachable } from '../machine/reach.ts'
import styles from './Metrics.module.css'
import { type Range, ranges } from './series.ts'
import { type MetricsHistory, useMetricsHistory } from './useMetricsHistory.ts'

const percent = (value: number) => `${Math.round(value)} %`

/** CPU, memory, disk and network over time; the cursor moves in all of them together. */
export function MetricsCard({ machine }: { machine: MachineView }) {
  const [range, setRange] = useState<Range>('1h')
  const history = useMetricsHistory(machine, range)
  const [hover, setHover] = useState<number | null>(null)
  const { lines } = history
  const now = machine.metrics
  const at = hover === null ? null : (lines.times[hover] ?? null)
  const charts: Omit<OneChartProps, 'history' | 'hover' | 'onHover' | 'sync'>[] = [
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
          <span className={styles.ranges} role="radiogroup" aria-label="Time span">
            {(Object.keys(ranges) as Range[]).map((one) => (
              // biome-ignore lint/a11y/useSemanticElements: a button that is one of a few, drawn as one strip
              <button
                key={one}
                type="button"
                role="radio"
                aria-checked={range === one}
                data-testid={`range-${one}`}
                onClick={() => setRange(one)}
              >
                {ranges[one]}
              </button>
            ))}
          </span>
        </span>
      }
    >
      <div className={styles.charts}>
        {charts.map((chart) => (
          <OneChart
            key={chart.title}
            {...chart}
            history={history}
            hover={hover}
            onHover={setHover}
            sync={`load-${machine.id}`}
          />
        ))}
      </div>
    </Card>
  )
}

function memoryNow({ memory }: Metrics): [string, string] {
  return [percent(memory.usagePercent), `${formatMegabytes(memory.usedMb)} of ${formatMegabytes(memory.totalMb)}`]
}

interface OneChartProps {
  title: string
  now: [value: string, of: string] | null
  series: ChartSeries[]
  max?: number
  format: (value: number) => string
  history: MetricsHistory
  hover: number | null
  onHover: (index: number | null) => void
  sync: string
}

function OneChart({ title, now, series, max, format, history, hover, onHover, sync }: OneChartProps) {
  const empty = history.lines.times.length === 0
  const there = hover === null ? null : series.map(({ values }) => values[hover] ?? null)
  return (
    <div className={styles.chart} data-chart={title}>
      <p className={styles.head}>
        <span>{title}</span>
        {there === null ? (
          <>
            <strong>{now?.[0] ?? '–'}</strong>
            <small>{now?.[1] ?? ''}</small>
          </>
        ) : (
          there.map((value, place) => (
            <strong key={series[place]?.label} data-hovered="">
              {series.length > 1 && (place === 0 ? '↓ ' : '↑ ')}
              {value === null ? 'not known' : format(value)}
            </strong>
          ))
        )}
      </p>
      <Chart
        label={`${title} over time, now ${now?.[0] ?? 'not known'}`}
        times={history.lines.times}
        series={series}
        from={history.from}
        to={history.to}
        {...(max === undefined ? {} : { max })}
        format={format}
        sync={sync}
        onHover={onHover}
      />
      {empty && !history.loading && <p className={styles.empty}>Nothing was heard in this time</p>}
    </div>
  )
}
