import type { Tone } from '../../ui/tone.ts'
import type { ControlStretch } from './lanes.ts'
import type { Mark } from './layout.ts'
import { ticks, type View, xOf } from './scale.ts'

export const axisPx = 24
export const controlPx = 14
/** How high a lane is, and how high where the window leaves little room for the list. */
export const laneHeights = { usual: 24, low: 17 }

export interface Colours {
  tones: Record<Tone, string>
  line: string
  ground: string
  text: string
  quiet: string
  selected: string
  on: string
}

const tones: readonly Tone[] = ['engine', 'person', 'up', 'unknown', 'broken', 'expired', 'off']

/** The colours of the theme that is on. */
export function readColours(): Colours {
  const css = getComputedStyle(document.documentElement)
  const of = (name: string) => css.getPropertyValue(`--${name}`).trim()
  return {
    tones: Object.fromEntries(tones.map((tone) => [tone, of(tone)])) as Record<Tone, string>,
    ...{ line: of('line'), ground: of('raised'), text: of('text'), quiet: of('text-tertiary') },
    ...{ selected: of('text'), on: of('raised') },
  }
}

export interface Picture {
  view: View
  width: number
  /** Height of a lane. */
  lanePx: number
  now: number
  control: readonly ControlStretch[]
  lanes: readonly (readonly Mark[])[]
  selected: string | null
  colours: Colours
}

export const heightOf = (laneCount: number, lanePx: number) => axisPx + controlPx + laneCount * lanePx + 6

/** Draws the whole track; the canvas is scaled to the pixels of the screen already. */
export function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { width, lanes, lanePx, colours } = picture
  const height = heightOf(lanes.length, lanePx)
  context.clearRect(0, 0, width, height)
  context.textBaseline = 'middle'
  drawGrid(context, picture, height)
  drawControl(context, picture)
  for (const [index, marks] of lanes.entries()) {
    const top = axisPx + controlPx + index * lanePx
    context.strokeStyle = colours.line
    context.globalAlpha = 0.6
    line(context, 0, top + 0.5, width, top + 0.5)
    context.globalAlpha = 1
    // Spans first: moments stand on them.
    for (const mark of marks) if (mark.type === 'ground') drawGround(context, mark, top, picture)
    for (const mark of marks) if (mark.type === 'span') drawSpan(context, mark, top, picture)
    for (const mark of marks)
      if (mark.type === 'point' || mark.type === 'cluster') drawPoint(context, mark, top, picture)
  }
  drawNow(context, picture, height)
}

function drawGrid(context: CanvasRenderingContext2D, { view, width, colours }: Picture, height: number): void {
  context.font = '11px "Inter Variable", system-ui, sans-serif'
  for (const { time, text } of ticks(view, width)) {
    const x = Math.round(xOf(view, width, time)) + 0.5
    context.strokeStyle = colours.line
    line(context, x, axisPx - 4, x, height)
    context.fillStyle = colours.quiet
    context.fillText(text, x + 4, axisPx / 2)
  }
}

function drawControl(context: CanvasRenderingContext2D, { view, width, control, colours }: Picture): void {
  for (const { from, to, tone } of control) {
    const x1 = Math.max(0, xOf(view, width, from))
    const x2 = Math.min(width, xOf(view, width, to))
    if (x2 < 0 || x1 > width) continue
    context.fillStyle = colours.tones[tone]
    context.globalAlpha = tone === 'up' ? 0.4 : 0.85
    context.fillRect(x1, axisPx + 3, Math.max(1.5, x2 - x1), 6)
  }
  context.globalAlpha = 1
}

const widths = new Map<string, number>()

/** How wide a number is drawn: there are few, and each is asked for in every frame. */
function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const width = widths.get(text) ?? context.measureText(text).width
  widths.set(text, width)
  return width
}

type Of<Type extends Mark['type']> = Extract<Mark, { type: Type }>

function drawGround(context: CanvasRenderingContext2D, mark: Of<'ground'>, top: number, picture: Picture): void {
  const chosen = mark.placed.entry.key === picture.selected
  context.fillStyle = picture.colours.tones[mark.tone]
  context.globalAlpha = chosen ? 1 : 0.55
  context.fillRect(mark.x1, top + picture.lanePx - (chosen ? 6 : 5), mark.x2 - mark.x1, chosen ? 4 : 3)
  context.globalAlpha = 1
}

function drawSpan(context: CanvasRenderingContext2D, mark: Of<'span'>, top: number, picture: Picture): void {
  const { colours, selected, lanePx } = picture
  const { entry } = mark.placed
  const above = lanePx < laneHeights.usual ? 3 : 5
  const [y, height, width] = [top + above, lanePx - 2 * above, mark.x2 - mark.x1]
  context.fillStyle = colours.tones[mark.tone]
  context.globalAlpha = 0.28
  round(context, mark.x1, y, width, height)
  context.fill()
  context.globalAlpha = 1
  context.strokeStyle = entry.key === selected ? colours.selected : colours.tones[mark.tone]
  context.lineWidth = entry.key === selected ? 2 : 1
  context.stroke()
  context.lineWidth = 1
  if (width < 60) return
  context.save()
  context.beginPath()
  context.rect(Math.max(0, mark.x1), y, mark.x2 - Math.max(0, mark.x1) - 4, height)
  context.clip()
  context.fillStyle = colours.text
  context.font = '11px "Inter Variable", system-ui, sans-serif'
  context.fillText(entry.title, Math.max(0, mark.x1) + 6, top + lanePx / 2 + 0.5)
  context.restore()
}

function drawPoint(
  context: CanvasRenderingContext2D,
  mark: Of<'point'> | Of<'cluster'>,
  top: number,
  picture: Picture,
): void {
  const { colours, selected, lanePx } = picture
  const y = top + lanePx / 2
  context.fillStyle = colours.tones[mark.tone]
  if (mark.type === 'cluster') {
    const inside = selected !== null && (mark.first.entry.key === selected || mark.last.entry.key === selected)
    const text = mark.count > 999 ? `${Math.round(mark.count / 1000)}k` : String(mark.count)
    context.font = '600 10px "Inter Variable", system-ui, sans-serif'
    const needed = widthOf(context, text) + 8
    const middle = (mark.x1 + mark.x2) / 2
    const width = Math.max(mark.x2 - mark.x1 + 9, 13)
    round(context, middle - width / 2, y - 7, width, 14)
    context.fill()
    if (inside) ring(context, colours.selected)
    // A number that does not fit is told by the width of the mark and by the list.
    if (width < needed) return
    context.fillStyle = colours.on
    context.textAlign = 'center'
    context.fillText(text, middle, y + 0.5)
    context.textAlign = 'start'
    return
  }
  const { entry } = mark.placed
  shape(context, mark.tone, mark.x, y)
  context.fill()
  if (entry.key === selected) ring(context, colours.selected)
  if (entry.picture === null) return
  // A small window above it: there is a picture of that moment.
  context.strokeStyle = colours.quiet
  context.strokeRect(Math.round(mark.x) + 4.5, Math.round(y) - 9.5, 6, 5)
}

/** Round goes well, a diamond wants attention, a square is neither. */
function shape(context: CanvasRenderingContext2D, tone: Tone, x: number, y: number): void {
  context.beginPath()
  if (tone === 'off') context.rect(x - 3.5, y - 3.5, 7, 7)
  else if (tone === 'broken' || tone === 'expired' || tone === 'unknown') {
    context.moveTo(x, y - 5.5)
    context.lineTo(x + 5.5, y)
    context.lineTo(x, y + 5.5)
    context.lineTo(x - 5.5, y)
    context.closePath()
  } else context.arc(x, y, 4.5, 0, 2 * Math.PI)
}

function drawNow(context: CanvasRenderingContext2D, { view, width, now, colours }: Picture, height: number): void {
  const x = Math.round(xOf(view, width, now)) + 0.5
  if (x < 0 || x > width) return
  context.strokeStyle = colours.quiet
  context.setLineDash([2, 3])
  line(context, x, axisPx, x, height)
  context.setLineDash([])
}

function ring(context: CanvasRenderingContext2D, colour: string): void {
  context.strokeStyle = colour
  context.lineWidth = 2
  context.stroke()
  context.lineWidth = 1
}

function round(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  context.beginPath()
  context.roundRect(x, y, width, height, 4)
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}
