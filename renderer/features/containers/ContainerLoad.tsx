import { useMemo, useState } from 'react'
import type { MachineView } from '../../../shared/domain/machine.ts'
import { Card } from '../../ui/Card.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { formatTime } from '../../ui/time.ts'
import { formatMegabytes } from '../machine/figures.ts'
import { isReachable } from '../machine/reach.ts'
import { type ChartFrame, LoadChart } from '../metrics/LoadChart.tsx'
import metrics from '../metrics/Metrics.module.css'
import { RangePicker } from '../metrics/RangePicker.tsx'
import { withGaps } from '../metrics/series.ts'
import styles from './Containers.module.css'
import { type Span, spans, useContainerHistory } from './useContainerHistory.ts'
import type { Load } from './useLoads.ts'

const percent = (value: number) => `${value.toFixed(1)} %`

/** What one container took of CPU and memory over time, and takes now. */
export function ContainerLoad({ machine, name, load }: { machine: MachineView; name: string; load: Load | undefined }) {
  const [span, setSpan] = useState<Span>('1h')
  const [hover, setHover] = useState<number | null>(null)
  const { history, from, to, problem } = useContainerHistory(machine, span)
  const points = useMemo(() => {
    const own = history?.containers.find((one) => one.name === name)?.points ?? []
    return withGaps(own, history?.everyMs ?? 1)
  }, [history, name])
  const lines = useMemo(
    () => ({
      times: points.map(({ at }) => at / 1000),
      cpu: points.map(({ point }) => point?.cpu ?? null),
      memory: points.map(({ point }) => point?.memoryMb ?? null),
    }),
    [points],
  )
  const loading = history === null && problem === null && isReachable(machine)
  // Without an answer there is no span to draw: an empty chart would say that nothing was heard at midnight of 1970.
  const untold = history === null && problem === null && !loading
  const frame: ChartFrame = {
    ...{ times: lines.times, from, to, loading, hover, onHover: setHover },
    sync: `container-${machine.id}`,
  }
  const at = hover === null ? undefined : lines.times[hover]
  return (
    <Card
      title={`Load of ${name}`}
      className={styles.load ?? ''}
      data-testid="container-load"
      aside={
        <span className={metrics.aside}>
          {at !== undefined && <span>at {formatTime(new Date(at * 1000).toISOString())}</span>}
          <RangePicker value={span} among={spans} onChange={setSpan} />
        </span>
      }
    >
      {problem !== null && <ErrorText problem={problem} />}
      {untold && <p className={styles.untold}>Only the machine keeps this. It is shown once the machine answers.</p>}
      {(history !== null || loading) && (
        <div className={metrics.charts}>
          <LoadChart
            title="CPU"
            now={load?.cpuPercent == null ? null : [percent(load.cpuPercent), 'of all cores']}
            series={[{ label: 'CPU', tone: 'engine', values: lines.cpu }]}
            format={percent}
            frame={frame}
          />
          <LoadChart
            title="Memory"
            now={
              load === undefined
                ? null
                : [
                    formatMegabytes(load.memoryMb),
                    load.memoryLimitMb === null ? '' : `of ${formatMegabytes(load.memoryLimitMb)}`,
                  ]
            }
            series={[{ label: 'Memory', tone: 'engine', values: lines.memory }]}
            format={formatMegabytes}
            frame={frame}
          />
        </div>
      )}
    </Card>
  )
}
