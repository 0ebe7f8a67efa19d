import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTall } from '../../ui/useWide.ts'
import { axisPx, controlPx, draw, heightOf, laneHeights, readColours } from './draw.ts'
import { controlOf, lanes, type Placed } from './lanes.ts'
import { errorsIn, layoutLane, type Mark, markAt } from './layout.ts'
import { exactTime, pan, spanOf, timeAt, type View, zoom } from './scale.ts'
import styles from './Timeline.module.css'
import { useWidth } from './useWidth.ts'

interface TrackProps {
  label: string
  /** All that is loaded: who was in control does not depend on a filter. */
  all: readonly Placed[]
  shown: readonly Placed[]
  view: View
  now: number
  selected: string | null
  onView: (view: View) => void
  onSelect: (placed: Placed) => void
  onFit: () => void
  /** Keys that the list understands too: to the next entry, open it. */
  onStep: (steps: number) => void
  onOpen: () => void
}

/** A press that moved farther than this is a drag, and chooses nothing. */
const dragPx = 4

/** The lanes on their time axis: wheel and pinch zoom, a drag moves, a click chooses. */
export function Track(props: TrackProps) {
  const { all, shown, view, now, selected, onView } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [box, width] = useWidth<HTMLDivElement>()
  const [theme, setTheme] = useState(0)
  const [hover, setHover] = useState<{ x: number; y: number } | null>(null)
  const byLane = useMemo(() => lanes.map(({ kind }) => shown.filter(({ entry }) => entry.kind === kind)), [shown])
  const control = useMemo(() => controlOf(all, now), [all, now])
  const marks = useMemo(() => byLane.map((placed) => layoutLane(placed, view, width, now)), [byLane, view, width, now])
  const errors = useMemo(() => byLane.map(errorsIn), [byLane])
  const lanePx = useTall(760) ? laneHeights.usual : laneHeights.low
  const height = heightOf(lanes.length, lanePx)

  useEffect(() => {
    const themed = new MutationObserver(() => setTheme((count) => count + 1))
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => themed.disconnect()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  const colours = useMemo(readColours, [theme])

  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (canvas.current === null || context == null || width === 0) return
    const ratio = window.devicePixelRatio
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
    // Setting a size, even the same one, makes the whole surface anew.
    if (canvas.current.width !== across) canvas.current.width = across
    if (canvas.current.height !== down) canvas.current.height = down
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    draw(context, { view, width, lanePx, now, control, lanes: marks, selected, colours })
  }, [view, width, height, lanePx, now, control, marks, selected, colours])

  useWheel(box, view, width, onView)
  const drag = useDrag({ ...props, width, setHover, hit: (x, y) => hit(marks, lanePx, x, y) })
  const under = hover === null ? null : hit(marks, lanePx, hover.x, hover.y)
  return (
    <div className={styles.track}>
      <div className={styles.labels} aria-hidden>
        <span style={{ height: axisPx }} />
        <span className={styles.laneLabel} style={{ height: controlPx }}>
          <small>In control</small>
        </span>
        {lanes.map(({ kind, title }, index) => {
          const wrong = errors[index] ?? 0
          return (
            <span key={kind} className={styles.laneLabel} style={{ height: lanePx }}>
              {title}
              {wrong > 0 && <b className={styles.errors}>{wrong > 999 ? `${Math.round(wrong / 1000)}k` : wrong}</b>}
            </span>
          )
        })}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing that is worked with, not a set of fields */}
      <div
        ref={box}
        role="group"
        aria-label={props.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move through it
        tabIndex={0}
        className={styles.lanes}
        data-testid="timeline-track"
        data-from={new Date(view.from).toISOString()}
        data-to={new Date(view.to).toISOString()}
        data-marks={marks.reduce((sum, lane) => sum + lane.length, 0)}
        data-under={under === null ? undefined : under.type}
        onKeyDown={(event) => keys(event, props)}
        onDoubleClick={props.onFit}
        {...drag}
      >
        <canvas ref={canvas} className={styles.canvas} style={{ width, height }} aria-hidden />
        {hover !== null && <Cursor x={hover.x} y={hover.y} view={view} width={width} under={under} />}
      </div>
    </div>
  )
}

function hit(marks: readonly (readonly Mark[])[], lanePx: number, x: number, y: number): Mark | null {
  const lane = marks[Math.floor((y - axisPx - controlPx) / lanePx)]
  return lane === undefined ? null : markAt(lane, x)
}

function Cursor({ x, y, view, width, under }: { x: number; y: number; view: View; width: number; under: Mark | null }) {
  const left = x > width / 2
  return (
    <>
      <div className={styles.cursor} style={{ transform: `translateX(${x}px)` }} />
      <div
        className={styles.bubble}
        data-left={left ? '' : undefined}
        style={left ? { right: width - x + 10, top: y + 14 } : { left: x + 10, top: y + 14 }}
      >
        <b>{exactTime(timeAt(view, width, x))}</b>
        {under !== null && (
          <span>
            {under.type === 'cluster' ? `${under.count} entries: click to look closer` : under.placed.entry.title}
          </span>
        )}
      </div>
    </>
  )
}

/** Wheel and pinch; not by React, whose listeners cannot keep the page from scrolling. */
function useWheel(box: { current: HTMLElement | null }, view: View, width: number, onView: (view: View) => void): void {
  const latest = useRef({ view, width, onView })
  latest.current = { view, width, onView }
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const now = latest.current
      const sideways = event.shiftKey
        ? event.deltaY
        : Math.abs(event.deltaX) > Math.abs(event.deltaY)
          ? event.deltaX
          : 0
      if (sideways !== 0) return now.onView(pan(now.view, (sideways / Math.max(1, now.width)) * spanOf(now.view)))
      const x = event.clientX - element.getBoundingClientRect().left
      // A pinch comes as small steps with ctrl held.
      const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * (event.ctrlKey ? 0.01 : 0.002))
      now.onView(zoom(now.view, factor, timeAt(now.view, now.width, x)))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [box])
}

interface DragOptions extends Pick<TrackProps, 'view' | 'onView' | 'onSelect'> {
  width: number
  setHover: (place: { x: number; y: number } | null) => void
  hit: (x: number, y: number) => Mark | null
}

function useDrag({ view, width, onView, onSelect, setHover, hit }: DragOptions) {
  const pressed = useRef<{ x: number; view: View; moved: boolean } | null>(null)
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      pressed.current = { x: placeOf(event).x, view, moved: false }
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const place = placeOf(event)
      setHover(place)
      const begun = pressed.current
      if (begun === null) return
      if (Math.abs(place.x - begun.x) > dragPx) begun.moved = true
      if (begun.moved) onView(pan(begun.view, ((begun.x - place.x) / Math.max(1, width)) * spanOf(begun.view)))
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const begun = pressed.current
      pressed.current = null
      if (begun === null || begun.moved) return
      const { x, y } = placeOf(event)
      const mark = hit(x, y)
      if (mark === null) return
      if (mark.type !== 'cluster') return onSelect(mark.placed)
      onSelect(mark.first)
      const [from, to] = [mark.first.start, mark.last.start]
      if (to > from) onView({ from: from - (to - from) * 0.3, to: to + (to - from) * 0.3 })
    },
    onPointerCancel() {
      pressed.current = null
    },
    onPointerLeave() {
      setHover(null)
    },
  }
}

function keys(event: KeyboardEvent, props: TrackProps): void {
  const { view, selected, shown, onView, onStep } = props
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const chosen = shown.find(({ entry }) => entry.key === selected)
  const inSight = chosen !== undefined && chosen.start >= view.from && chosen.start <= view.to
  const around = inSight ? chosen.start : (view.from + view.to) / 2
  const aside = (part: number) => onView(pan(view, spanOf(view) * part))
  const act: Record<string, () => void> = {
    '+': () => onView(zoom(view, 0.5, around)),
    '=': () => onView(zoom(view, 0.5, around)),
    '-': () => onView(zoom(view, 2, around)),
    '0': props.onFit,
    ArrowLeft: () => (event.shiftKey ? aside(-0.25) : onStep(-1)),
    ArrowRight: () => (event.shiftKey ? aside(0.25) : onStep(1)),
    ArrowUp: () => onStep(-1),
    ArrowDown: () => onStep(1),
    Home: () => onStep(Number.NEGATIVE_INFINITY),
    End: () => onStep(Number.POSITIVE_INFINITY),
    Enter: props.onOpen,
  }
  const found = act[event.key]
  if (found === undefined) return
  event.preventDefault()
  event.stopPropagation()
  found()
}
