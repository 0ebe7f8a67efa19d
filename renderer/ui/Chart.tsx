import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import styles from './Chart.module.css'
import type { Tone } from './tone.ts'

export interface ChartSeries {
  label: string
  tone: Tone
  /** Null where nothing is known: the line has a gap there. */
  values: readonly (number | null)[]
}

interface ChartProps {
  /** What it shows, for those who cannot see it. */
  label: string
  /** Seconds since 1970, ascending. */
  times: readonly number[]
  series: readonly ChartSeries[]
  /** The span that is shown, whether there are values in it or not. */
  from: number
  to: number
  /** The top of the scale; without one it follows the values. */
  max?: number
  /** How low the top may be where it follows the values, so that nothing at all is not drawn as much. */
  topAtLeast?: number
  format: (value: number) => string
  /** Charts with the same name move their cursors together. */
  sync: string
  height?: number
  /** Which value the cursor is at; null when it is nowhere. */
  onHover: (index: number | null) => void
}

/** Values over time on a canvas. Follows the theme and the width it is given; its height never changes. */
export function Chart(props: ChartProps) {
  const { label, times, series, from, to, height = 120 } = props
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  // What the chart asks for while it draws is always the newest, without making it anew.
  const latest = useRef(props)
  latest.current = props
  const shape = series.map(({ label: name, tone }) => `${name} ${tone}`).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart is made anew for other lines only; its data follow below
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const make = () => {
      plot.current?.destroy()
      plot.current = new uPlot(
        optionsOf(latest, Math.max(80, element.clientWidth), height),
        dataOf(latest.current),
        element,
      )
    }
    make()
    const resized = new ResizeObserver(() => {
      const width = element.clientWidth
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height })
    })
    resized.observe(element)
    // Colours are read when a chart is made, so another theme makes another chart.
    const themed = new MutationObserver(make)
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      resized.disconnect()
      themed.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [shape, height])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read through `latest` stands here
  useEffect(() => {
    plot.current?.setData(dataOf(latest.current))
  }, [times, series, from, to])

  return <div ref={box} className={styles.chart} style={{ height }} role="img" aria-label={label} />
}

function dataOf({ times, series }: Pick<ChartProps, 'times' | 'series'>): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])]
}

function optionsOf(latest: { current: ChartProps }, width: number, height: number): uPlot.Options {
  const css = getComputedStyle(document.documentElement)
  const colour = (name: string) => css.getPropertyValue(`--${name}`).trim()
  const font = '11px "Inter Variable", system-ui, sans-serif'
  const axis: uPlot.Axis = {
    stroke: colour('text-tertiary'),
    font,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height,
    // Room for half of the last time on the axis.
    padding: [6, 16, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      sync: { key: latest.current.sync },
      points: { size: 7 },
    },
    scales: {
      x: { range: () => [latest.current.from, latest.current.to] },
      y: { range: (_plot, _low, high) => [0, topOf(latest.current, high ?? 0)] },
    },
    axes: [
      {
        ...axis,
        size: 22,
        space: 70,
        grid: { show: false },
        values: (_plot, splits) => splits.map((at) => timeText(at, latest.current)),
      },
      {
        ...axis,
        size: ({ ctx }, labels) => roomFor(ctx, font, labels ?? []),
        space: 34,
        values: (_plot, splits) => splits.map((value) => latest.current.format(value)),
      },
    ],
    series: [
      {},
      ...latest.current.series.map(({ label, tone }) => ({
        label,
        stroke: colour(tone),
        fill: `${colour(tone)}1f`,
        width: 1.5,
        spanGaps: false,
        points: { show: false },
      })),
    ],
    hooks: {
      setCursor: [
        (plot) => {
          const { idx, left } = plot.cursor
          latest.current.onHover(idx == null || left === undefined || left < 0 ? null : idx)
        },
      ],
    },
  }
}

/** As much as most labels take, so that charts above each other begin at one line. */
const usualRoom = 52
const gapToLine = 10

/** A canvas cuts off what it has no room for: of 50.0 MB/s only 0.0 MB/s would be left to read. */
function roomFor(ctx: CanvasRenderingContext2D, font: string, labels: readonly string[]): number {
  ctx.save()
  ctx.font = font
  const widest = Math.max(0, ...labels.map((text) => ctx.measureText(text).width))
  ctx.restore()
  return Math.max(usualRoom, Math.ceil(widest) + gapToLine)
}

function topOf({ max, topAtLeast = 1 }: ChartProps, high: number): number {
  return max ?? Math.max(topAtLeast, high * 1.15)
}

/** The hour, and for a span of days the day. */
function timeText(at: number, { from, to }: Pick<ChartProps, 'from' | 'to'>): string {
  const time = new Date(at * 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  if (to - from > 2 * 86_400) return `${two(time.getDate())}.${two(time.getMonth() + 1)}.`
  return `${two(time.getHours())}:${two(time.getMinutes())}`
}
