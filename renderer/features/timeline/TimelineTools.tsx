import { CircleAlert, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { type FormEvent, memo, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { FilterChip } from '../../ui/FilterChip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { parseMoment } from '../logs/jump.ts'
import { type Filter, laneNames } from './lanes.ts'
import { clockText, exactTime, spanOf, spanText, type View } from './scale.ts'
import styles from './Timeline.module.css'

const minute = 60_000
/** The stretches that are offered; anything else comes by zooming or by typing it in. */
export const ranges = { 15: 15 * minute, 60: 60 * minute, 360: 360 * minute, 1440: 1440 * minute } as const

interface ToolsProps {
  view: View
  following: boolean
  filter: Filter
  counts: Readonly<Record<string, number>>
  /** How far the machine's clock is ahead: the times that are typed in are its own. */
  skewMs: number
  onRange: (span: number) => void
  onView: (view: View) => void
  onZoom: (factor: number) => void
  onFit: () => void
  onFilter: (filter: Filter) => void
}

/** How much is shown, and what of it. */
export const TimelineTools = memo(function TimelineTools(props: ToolsProps) {
  const { view, following, filter, onFilter } = props
  const [choosing, setChoosing] = useState(false)
  const span = spanOf(view) / 1.02
  const named = Object.entries(ranges).find(([, ms]) => Math.abs(ms - span) < ms * 0.001 && following)?.[0]
  const options: Record<string, string> = {
    15: 'Last 15 min',
    60: 'Last 1 h',
    360: 'Last 6 h',
    1440: 'Last 24 h',
    ...(named === undefined ? { shown: `${spanText(spanOf(view))}${following ? '' : ', held'}` } : {}),
    custom: 'From … to …',
  }
  const choose = (value: string) => {
    const ms = Object.entries(ranges).find(([name]) => name === value)?.[1]
    if (ms !== undefined) props.onRange(ms)
    else if (value === 'custom') setChoosing(true)
  }
  return (
    <>
      <div className={styles.range} data-testid="timeline-range">
        <Select label="How much is shown" value={named ?? 'shown'} options={options} onChange={choose} />
      </div>
      <span className={styles.zoom}>
        <IconButton
          label="Look closer"
          keys="+"
          icon={<ZoomIn size={15} aria-hidden />}
          data-testid="timeline-zoom-in"
          onClick={() => props.onZoom(0.5)}
        />
        <IconButton
          label="Show more"
          keys="-"
          icon={<ZoomOut size={15} aria-hidden />}
          data-testid="timeline-zoom-out"
          onClick={() => props.onZoom(2)}
        />
        <IconButton
          label="Show all"
          keys="0"
          icon={<Maximize2 size={15} aria-hidden />}
          data-testid="timeline-fit"
          onClick={props.onFit}
        />
      </span>
      {!following && (
        <Button data-testid="timeline-now" onClick={() => props.onRange(Math.max(minute, span))}>
          Now
        </Button>
      )}
      <FilterChip
        title="Kind"
        testId="timeline-kinds"
        options={laneNames}
        counts={() => props.counts}
        chosen={filter.kinds}
        onChange={(kinds) => onFilter({ ...filter, kinds })}
      />
      <Button
        icon={<CircleAlert size={15} aria-hidden />}
        aria-pressed={filter.errorsOnly}
        data-testid="timeline-errors"
        onClick={() => onFilter({ ...filter, errorsOnly: !filter.errorsOnly })}
      >
        Errors only
      </Button>
      <div className={styles.search}>
        <SearchField
          label="Search the timeline"
          placeholder="Search"
          testId="timeline-search"
          value={filter.text}
          onChange={(text) => onFilter({ ...filter, text })}
        />
      </div>
      <Dialog open={choosing} onClose={() => setChoosing(false)} title="Show a stretch of time">
        <RangeForm view={view} skewMs={props.skewMs} onView={props.onView} onDone={() => setChoosing(false)} />
      </Dialog>
    </>
  )
})

interface RangeFormProps {
  view: View
  skewMs: number
  onView: (view: View) => void
  onDone: () => void
}

function RangeForm({ view, skewMs, onView, onDone }: RangeFormProps) {
  const typedOf = (time: number) => {
    const two = (value: number) => String(value).padStart(2, '0')
    const date = new Date(time)
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
    return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  }
  const [from, setFrom] = useState(() => typedOf(view.from))
  const [to, setTo] = useState(() => typedOf(view.to))
  const [error, setError] = useState<string | undefined>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const now = Date.now() + skewMs
    const [first, last] = [parseMoment(from, now), parseMoment(to, now)]
    if (first === undefined || last === undefined)
      return setError('A time such as 03:10, 2026-01-31 03:10, or 2 h ago.')
    if (last - first < 1000) return setError(`The end, ${exactTime(last)}, is not after the beginning.`)
    onView({ from: first, to: last })
    onDone()
  }
  return (
    <form onSubmit={submit}>
      <Field
        label={clockText(skewMs) === null ? 'From, on this computer’s clock' : 'From, on the machine’s clock'}
        hint="Such as 03:10, 2026-01-31 03:10, or 2 h ago."
      >
        {(control) => (
          <Input
            {...control}
            value={from}
            autoFocus
            data-testid="timeline-from"
            onChange={(event) => setFrom(event.target.value)}
          />
        )}
      </Field>
      <Field label="To" error={error}>
        {(control) => (
          <Input {...control} value={to} data-testid="timeline-to" onChange={(event) => setTo(event.target.value)} />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" data-testid="timeline-range-go">
          Show
        </Button>
      </DialogActions>
    </form>
  )
}
