import styles from './Network.module.css'
import type { Span } from './NetworkPanel.tsx'
import { durationOf, isFailure, isUnderWay, type NetworkRow } from './rows.ts'

/** When it was, beside all the others: waiting for the answer lighter, receiving it solid. */
export function Waterfall({ row, span }: { row: NetworkRow; span: Span }) {
  const whole = span.to - span.from
  const ms = durationOf(row)
  const left = ((row.at - span.from) / whole) * 100
  const width = ((ms ?? (isUnderWay(row) ? span.to - row.at : 0)) / whole) * 100
  const { timing } = row
  const waited = timing === null || ms === null || ms === 0 ? 0 : waitedMs(row) / ms
  return (
    <span className={styles.fall} aria-hidden>
      <span
        className={styles.fallBar}
        data-failed={isFailure(row) ? '' : undefined}
        data-open={ms === null ? '' : undefined}
        style={{ left: `${left}%`, width: `${Math.max(0, width)}%` }}
      >
        <span style={{ width: `${Math.min(1, waited) * 100}%` }} />
      </span>
    </span>
  )
}

const waitedMs = ({ timing, startedAt }: NetworkRow) =>
  timing === null ? 0 : (timing.requestTime - startedAt) * 1000 + timing.receiveHeadersEnd
