import type { SocketSend } from '../../../shared/contract/index.ts'
import type { ScreenKey } from './screen.ts'

export type PageInput = SocketSend<'watch'>

const buttons = ['left', 'middle', 'right', 'back', 'forward'] as const

interface Modified {
  altKey: boolean
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
}

/** The modifiers that are down, as the wire counts them. */
export function modifiersOf(event: Modified): number {
  return Number(event.altKey) + 2 * Number(event.ctrlKey) + 4 * Number(event.metaKey) + 8 * Number(event.shiftKey)
}

const modifierBits: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 }

/** The modifiers among keys, as the wire counts them. */
export function modifiersIn(keys: readonly ScreenKey[]): number {
  return keys.reduce((sum, { key }) => sum | (modifierBits[key] ?? 0), 0)
}

/** Keys going down one after the other and up in reverse, each with the modifiers held at that moment. */
export function pressTogether(keys: readonly ScreenKey[]): PageInput[] {
  const input = (event: 'down' | 'up', { key, code, keyCode }: ScreenKey, modifiers: number): PageInput => ({
    type: 'key',
    event,
    key,
    code,
    keyCode,
    modifiers,
  })
  return [
    ...keys.map((key, place) => input('down', key, modifiersIn(keys.slice(0, place + 1)))),
    ...keys.map((key, place) => input('up', key, modifiersIn(keys.slice(0, place)))).reverse(),
  ]
}

interface Size {
  width: number
  height: number
}
interface Point {
  x: number
  y: number
}
type Box = Size & { left: number; top: number }

/** How a picture is fitted into a box, and how wide the bars beside and above it are. */
function fitted(box: Size, page: Size): { scale: number; beside: number; above: number } {
  const scale = Math.min(box.width / page.width, box.height / page.height)
  return { scale, beside: (box.width - page.width * scale) / 2, above: (box.height - page.height * scale) / 2 }
}

/** Whether a point of the box that a picture is fitted into lies on the picture, and not on the bars. */
export function isOnPage(point: Point, box: Box, page: Size): boolean {
  const { beside, above } = fitted(box, page)
  const [x, y] = [point.x - box.left, point.y - box.top]
  return x >= beside && x <= box.width - beside && y >= above && y <= box.height - above
}

/** Where on the page, in its CSS pixels, a point of a picture that is fitted into a box lies. */
export function pointOnPage(point: Point, box: Box, page: Size): Point {
  const { scale, beside, above } = fitted(box, page)
  const x = (point.x - box.left - beside) / scale
  const y = (point.y - box.top - above) / scale
  return {
    x: Math.min(Math.max(0, Math.round(x)), Math.round(page.width)),
    y: Math.min(Math.max(0, Math.round(y)), Math.round(page.height)),
  }
}

/** Two presses within this time and distance are a double click; pointer events do not count them. */
const againMs = 500
const againPx = 5

/** Counts presses of one button at one place: 1, 2, 3, and again 3. */
export function clickCounter() {
  let last = { at: Number.NEGATIVE_INFINITY, x: 0, y: 0, button: -1, count: 0 }
  return (at: number, x: number, y: number, button: number): number => {
    const again =
      at - last.at <= againMs &&
      button === last.button &&
      Math.abs(x - last.x) <= againPx &&
      Math.abs(y - last.y) <= againPx
    last = { at, x, y, button, count: again ? Math.min(3, last.count + 1) : 1 }
    return last.count
  }
}

/** Sends what a person does on the canvas; stopping lets go of every key. `sticky` are modifiers kept down meanwhile. */
export function sendInput(
  canvas: HTMLCanvasElement,
  page: () => { width: number; height: number },
  send: (input: PageInput) => void,
  sticky: () => number,
): { release: () => void; stop: () => void } {
  const keysDown = new Map<string, { key: string; keyCode: number }>()
  const stopped = new AbortController()
  const options = { signal: stopped.signal }
  const at = (event: MouseEvent) =>
    pointOnPage({ x: event.clientX, y: event.clientY }, canvas.getBoundingClientRect(), page())

  const countClick = clickCounter()
  let clicks = 0
  /** Buttons that went down beside the picture: nothing of them is the page's. */
  const beside = new Set<number>()
  const mouse = (kind: 'move' | 'down' | 'up') => (event: PointerEvent) => {
    event.preventDefault()
    if (kind === 'down' && !isOnPage({ x: event.clientX, y: event.clientY }, canvas.getBoundingClientRect(), page())) {
      beside.add(event.button)
      canvas.focus({ preventScroll: true })
      return
    }
    if (kind === 'up' && beside.delete(event.button)) return
    if (kind === 'down') {
      beside.delete(event.button)
      clicks = countClick(event.timeStamp, event.clientX, event.clientY, event.button)
      canvas.focus({ preventScroll: true })
      canvas.setPointerCapture(event.pointerId)
    }
    const held = buttons.find((_name, place) => (event.buttons & ([1, 4, 2, 8, 16][place] ?? 0)) !== 0)
    send({
      type: 'mouse',
      event: kind,
      ...at(event),
      button: kind === 'move' ? (held ?? 'none') : (buttons[event.button] ?? 'none'),
      clickCount: kind === 'move' ? 0 : clicks,
      modifiers: modifiersOf(event) | sticky(),
    })
  }
  const key = (kind: 'down' | 'up') => (event: KeyboardEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (kind === 'down') keysDown.set(event.code, event)
    else keysDown.delete(event.code)
    const { code, keyCode } = event
    send({ type: 'key', event: kind, key: event.key, code, keyCode, modifiers: modifiersOf(event) | sticky() })
  }
  const releaseAll = () => {
    for (const [code, { key: name, keyCode }] of keysDown)
      send({ type: 'key', event: 'up', key: name, code, keyCode, modifiers: 0 })
    keysDown.clear()
  }
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    const { deltaX, deltaY } = event
    send({ type: 'mouse', event: 'wheel', ...at(event), deltaX, deltaY, modifiers: modifiersOf(event) | sticky() })
  }

  canvas.addEventListener('pointermove', mouse('move'), options)
  canvas.addEventListener('pointerdown', mouse('down'), options)
  canvas.addEventListener('pointerup', mouse('up'), options)
  canvas.addEventListener('wheel', wheel, { ...options, passive: false })
  canvas.addEventListener('contextmenu', (event) => event.preventDefault(), options)
  canvas.addEventListener('keydown', key('down'), options)
  canvas.addEventListener('keyup', key('up'), options)
  return {
    release: releaseAll,
    stop() {
      releaseAll()
      stopped.abort()
    },
  }
}
