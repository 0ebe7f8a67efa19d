import styles from './Sparkline.module.css'

/** A path through values that lie between 0 and `max`, in a box of `width` × `height`. */
export function sparkPath(values: readonly number[], max: number, width: number, height: number): string {
  if (values.length === 0 || max <= 0) return ''
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, place) => {
      const y = height - (Math.min(Math.max(value, 0), max) / max) * height
      return `${place === 0 ? 'M' : 'L'}${(place * step).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

/** The shape of a value over the last while; the number itself stands beside it. */
export function Sparkline({ values, max, label }: { values: readonly number[]; max: number; label: string }) {
  return (
    <svg className={styles.line} viewBox="0 -1 100 26" preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={sparkPath(values, max, 100, 24)} />
    </svg>
  )
}

/** A share of something, as a short bar. */
export function Bar({ percent, label }: { percent: number | null; label: string }) {
  const shown = percent === null ? 0 : Math.min(100, Math.max(0, percent))
  return (
    <div
      className={styles.bar}
      role="img"
      aria-label={label}
      style={{ backgroundSize: `${shown}% 100%` }}
      data-high={shown >= 80 ? '' : undefined}
    />
  )
}
