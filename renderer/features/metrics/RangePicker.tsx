import styles from './Metrics.module.css'
import { type Range, ranges } from './series.ts'

interface RangePickerProps<One extends Range> {
  value: One
  among: readonly One[]
  onChange: (range: One) => void
}

/** How far back charts go, as one strip of buttons. */
export function RangePicker<One extends Range>({ value, among, onChange }: RangePickerProps<One>) {
  return (
    <span className={styles.ranges} role="radiogroup" aria-label="Time span">
      {among.map((one) => (
        // biome-ignore lint/a11y/useSemanticElements: a button that is one of a few, drawn as one strip
        <button
          key={one}
          type="button"
          role="radio"
          aria-checked={value === one}
          data-testid={`range-${one}`}
          onClick={() => onChange(one)}
        >
          {ranges[one]}
        </button>
      ))}
    </span>
  )
}
