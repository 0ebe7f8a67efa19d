import { Chart, type ChartSeries } from '../../ui/Chart.tsx'
import styles from './Metrics.module.css'

/** What several charts have in common: the moments, the span, and where the cursor is. */
export interface ChartFrame {
  /** Seconds since 1970. */
  times: readonly number[]
  from: number
  to: number
  loading: boolean
  hover: number | null
  onHover: (index: number | null) => void
  sync: string
}

export interface LoadChartProps {
  title: string
  /** The value of this moment, and what it is a part of. */
  now: [value: string, of: string] | null
  series: ChartSeries[]
  max?: number
  topAtLeast?: number
  format: (value: number) => string
}

/** One value over time with its figure above: that of now, or the one under the cursor. */
export function LoadChart({
  title,
  now,
  series,
  max,
  topAtLeast,
  format,
  frame,
}: LoadChartProps & { frame: ChartFrame }) {
  const { times, from, to, loading, hover, onHover, sync } = frame
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
        times={times}
        series={series}
        from={from}
        to={to}
        {...(max === undefined ? {} : { max })}
        {...(topAtLeast === undefined ? {} : { topAtLeast })}
        format={format}
        sync={sync}
        onHover={onHover}
      />
      {times.length === 0 && !loading && <p className={styles.empty}>Nothing was heard in this time</p>}
    </div>
  )
}
