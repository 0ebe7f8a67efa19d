/** A stretch of time, in milliseconds since 1970, drawn over a width in pixels. */
export interface View {
  from: number
  to: number
}

/** Closer than this there is nothing to tell apart; farther, nothing to see. */
const shortest = 100
const longest = 400 * 86_400_000

export const spanOf = ({ from, to }: View) => to - from

export function xOf(view: View, width: number, time: number): number {
  return ((time - view.from) / spanOf(view)) * width
}

export function timeAt(view: View, width: number, x: number): number {
  return view.from + (x / Math.max(1, width)) * spanOf(view)
}

/** Shows less (a factor below 1) or more around a moment, which stays where it is. */
export function zoom(view: View, factor: number, around: number): View {
  const span = Math.min(longest, Math.max(shortest, spanOf(view) * factor))
  const part = (around - view.from) / spanOf(view)
  const from = around - part * span
  return { from, to: from + span }
}

export function pan(view: View, ms: number): View {
  return { from: view.from + ms, to: view.to + ms }
}

/** Everything between two moments, with a little air; two that are one get a minute. */
export function fitAll(first: number, last: number): View {
  const span = Math.max(60_000, last - first)
  const middle = (first + last) / 2
  return { from: middle - span * 0.53, to: middle + span * 0.53 }
}

/** The last stretch up to now, with a little room for what comes. */
export function upToNow(now: number, span: number): View {
  return { from: now - span, to: now + span * 0.02 }
}

/** Brings a moment into sight without changing how much is shown. */
export function reveal(view: View, time: number): View {
  const edge = spanOf(view) * 0.05
  if (time >= view.from + edge && time <= view.to - edge) return view
  return pan(view, time - (view.from + view.to) / 2)
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const steps = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 90].map((n) => n * day),
]

export interface Tick {
  time: number
  text: string
}

/** Round times about so many pixels apart, on this computer's clock. */
export function ticks(view: View, width: number, apart = 96): Tick[] {
  const wanted = (spanOf(view) / Math.max(1, width)) * apart
  const step = steps.find((one) => one >= wanted) ?? 90 * day
  // Midnight of this computer's zone, not of Greenwich: hours and days begin there.
  const zone = new Date(view.from).getTimezoneOffset() * minute
  const first = Math.ceil((view.from - zone) / step) * step + zone
  const found: Tick[] = []
  for (let time = first; time <= view.to && found.length < 400; time += step)
    found.push({ time, text: tickText(time, step) })
  return found
}

const two = (value: number) => String(value).padStart(2, '0')

function tickText(time: number, step: number): string {
  const date = new Date(time)
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`
  const midnight = date.getHours() === 0 && date.getMinutes() === 0
  if (step >= day || (step >= minute && midnight)) return `${two(date.getDate())}.${two(date.getMonth() + 1)}.`
  if (step >= minute) return clock
  const seconds = `${clock}:${two(date.getSeconds())}`
  return step >= second ? seconds : `${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** A moment as exactly as it is known: `12.03. 14:02:11.482`. */
export function exactTime(time: number): string {
  const date = new Date(time)
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${two(date.getDate())}.${two(date.getMonth() + 1)}. ${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** How much is shown, in words: `15 min`, `3.5 h`. */
export function spanText(ms: number): string {
  const said = (value: number, unit: string) => `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`
  if (ms < second) return said(ms, 'ms')
  if (ms < minute) return said(ms / second, 's')
  if (ms < hour) return said(ms / minute, 'min')
  return ms < 2 * day ? said(ms / hour, 'h') : said(ms / day, 'd')
}

/** Below this nobody takes one moment for another. */
const tellClockMs = 30 * second

/** How a machine's clock differs from this computer's, as `3 h ahead of`; null where that is not worth a word. */
export function clockText(skewMs: number): string | null {
  if (Math.abs(skewMs) < tellClockMs) return null
  return `${spanText(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'}`
}
