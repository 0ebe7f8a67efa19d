import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PortStream } from '../../../shared/stream.ts'
import type { Screen, ScreenEvents, ScreenKey } from './screen.ts'
import { LiveSession } from './session.ts'
import type { LiveSnapshot, LiveWish } from './snapshot.ts'

/** As much of an element as the session touches. */
class Box {
  style = {}
  dataset = {}
  tabIndex = 0
  inside: Box[] = []
  parent: Box | null = null
  readonly kind: string
  constructor(kind = 'div') {
    this.kind = kind
  }
  setAttribute() {}
  listeners: (() => void)[] = []
  addEventListener(_kind: 'keydown', listener: () => void) {
    this.listeners.push(listener)
  }
  append(child: Box) {
    this.inside.push(child)
    child.parent = this
  }
  remove() {
    if (page.activeElement !== null && this.contains(page.activeElement)) page.activeElement = page.body
    this.parent?.inside.splice(this.parent.inside.indexOf(this), 1)
  }
  contains(other: Box): boolean {
    return other === this || this.inside.some((child) => child.contains(other))
  }
  focus() {
    page.activeElement = this
  }
  matches() {
    return this.kind === 'field'
  }
  closest() {
    return null
  }
}

const page = {
  body: new Box('body'),
  activeElement: null as Box | null,
  popup: null as Box | null,
  createElement: () => new Box(),
  querySelector: () => page.popup,
}

let session: LiveSession
let shown: LiveSnapshot
let stage: Box
/** What each connection was told, and the way to speak as it. */
let connections: { events: ScreenEvents; pressed: string[]; keys: Box; closed: boolean }[]

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  Object.assign(page, { activeElement: page.body, popup: null })
  connections = []
  stage = new Box()
  session = new LiveSession({
    machineId: 'm',
    stage: stage as unknown as HTMLElement,
    still: { width: 0, height: 0 } as HTMLCanvasElement,
    source: {
      open: async () => ({ close: () => {} }) as unknown as PortStream,
      draw: (target, _stream, _wish, _look, events) => {
        const connection = { events, pressed: [] as string[], keys: new Box(), closed: false }
        connections.push(connection)
        ;(target as unknown as Box).append(connection.keys)
        return {
          canvas: { width: 0, height: 0 },
          focus: () => connection.keys.focus(),
          press: () => {},
          hold: ({ key }: ScreenKey, down: boolean) => connection.pressed.push(`${key} ${down ? 'down' : 'up'}`),
          adjust: () => {},
          close: () => (connection.closed = true),
        } as unknown as Screen
      },
    },
    onChange: (snapshot) => (shown = snapshot),
    onShown: () => {},
    onDownload: () => {},
  })
})
afterEach(() => {
  session.dispose()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const want = async (mode: LiveWish['mode'], view: LiveWish['view'] = 'screencast') => {
  session.want({ view, mode })
  await vi.advanceTimersByTimeAsync(0)
}
const last = () => connections.at(-1) ?? expect.unreachable('nothing was opened')
const breakOff = () => last().events.onClose('cut')
const comeBack = async () => {
  const before = connections.length
  while (connections.length === before) await vi.advanceTimersByTimeAsync(1000)
  last().events.onComplete()
}
const inPicture = () => page.activeElement === last().keys

test('who takes control gets the keyboard of the picture, unless they type or choose something elsewhere', async () => {
  await want('view')
  last().events.onComplete()
  expect(inPicture()).toBe(false)
  await want('control')
  last().events.onComplete()
  expect(inPicture()).toBe(true)
  for (const [elsewhere, popup] of [
    [new Box('field'), null],
    [page.body, new Box()],
  ] as const) {
    await want('view')
    last().events.onComplete()
    Object.assign(page, { activeElement: elsewhere, popup })
    await want('control')
    last().events.onComplete()
    expect(page.activeElement).toBe(elsewhere)
  }
})

test('a picture that comes back has the keyboard again if it had it, and takes it from nobody', async () => {
  await want('control')
  last().events.onComplete()
  breakOff()
  // Meanwhile keys are not the console's: something on the stage has them.
  expect(page.activeElement).not.toBe(page.body)
  expect(page.activeElement !== null && stage.contains(page.activeElement)).toBe(true)
  await comeBack()
  expect(inPicture()).toBe(true)
  // Who went elsewhere while it was away stays there, at a button as well.
  breakOff()
  const button = new Box('button')
  button.focus()
  await comeBack()
  expect(page.activeElement).toBe(button)
  // It did not have it.
  breakOff()
  page.activeElement = page.body
  await comeBack()
  expect(inPicture()).toBe(false)
  // Who presses the button that brings it back means it.
  breakOff()
  button.focus()
  session.retryNow()
  await vi.advanceTimersByTimeAsync(0)
  last().events.onComplete()
  expect(inPicture()).toBe(true)
})

test('nothing waits for keys that nobody may send any more', async () => {
  await want('control')
  last().events.onComplete()
  breakOff()
  await want('view')
  last().events.onComplete()
  expect(page.activeElement).toBe(page.body)
  await want('control')
  last().events.onComplete()
  session.want(null)
  expect(page.activeElement).toBe(page.body)
  // The browser came back.
  await want('control')
  last().events.onComplete()
  expect(inPicture()).toBe(true)
})

test('who is in the middle of typing when control ends types nothing into the console until there was a pause', async () => {
  for (const end of [null, { view: 'screencast', mode: 'view' }] as const) {
    await want('control')
    last().events.onComplete()
    page.activeElement = last().keys
    session.pressed()
    session.want(end)
    await vi.advanceTimersByTimeAsync(0)
    if (end !== null) last().events.onComplete()
    // Seven more letters.
    for (let letter = 0; letter < 7; letter++) {
      await vi.advanceTimersByTimeAsync(1000)
      expect(page.activeElement !== page.body && stage.contains(page.activeElement ?? page.body)).toBe(true)
      for (const listener of page.activeElement?.listeners ?? []) listener()
    }
    await vi.advanceTimersByTimeAsync(2000)
    expect(page.activeElement).toBe(page.body)
  }
  // Who is back in control before that goes on at once.
  await want('control')
  last().events.onComplete()
  session.pressed()
  await want('view')
  last().events.onComplete()
  await want('control')
  last().events.onComplete()
  expect(inPicture()).toBe(true)
  await vi.advanceTimersByTimeAsync(5000)
  expect(inPicture()).toBe(true)
  // Nobody is kept from a place that they have gone to.
  session.pressed()
  const button = new Box('button')
  button.focus()
  await want('view')
  expect(page.activeElement).toBe(button)
})

test('a key is kept down only where there is a picture to take it', async () => {
  await want('control')
  last().events.onComplete()
  session.hold('ctrl', true)
  expect(shown.held).toEqual(['ctrl'])
  breakOff()
  expect(shown.held).toEqual([])
  session.hold('shift', true)
  expect(shown.held).toEqual([])
  await comeBack()
  expect([shown.held, last().pressed]).toEqual([[], []])
  session.hold('shift', true)
  expect([shown.held, last().pressed]).toEqual([['shift'], ['Shift down']])
})

test('a quality that changes by itself keeps the keyboard, and waits for what is kept down and for who types', async () => {
  await want('control')
  last().events.onComplete()
  session.hold('ctrl', true)
  // A slow connection.
  for (let piece = 0; piece < 10; piece++) {
    await vi.advanceTimersByTimeAsync(500)
    last().events.onBytes(64 * 1024)
  }
  await vi.advanceTimersByTimeAsync(2000)
  expect([connections.length, shown.quality, shown.held]).toEqual([1, 'best', ['ctrl']])
  session.pressed()
  session.release()
  await vi.advanceTimersByTimeAsync(2000)
  expect([connections.length, shown.quality]).toEqual([1, 'best'])
  await vi.advanceTimersByTimeAsync(3000)
  expect([connections.length, shown.quality]).toEqual([2, 'low'])
  last().events.onComplete()
  expect(inPicture()).toBe(true)
})

test('a page that waits for an answer is not given up for want of a picture, and its dialog keeps the keyboard', async () => {
  const dialog = { type: 'prompt', message: 'Who?', defaultPrompt: '', url: 'https://shop.test/' }
  await want('control')
  last().events.onDialog(dialog)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([connections.length, shown.phase, shown.dialog]).toEqual([1, 'connecting', dialog])
  last().events.onComplete()
  expect([shown.phase, inPicture()]).toEqual(['live', false])
  last().events.onDialog(null)
  expect(shown.dialog).toBeNull()
  // What a connection said of the page is not known any more when it is gone.
  last().events.onDialog(dialog)
  breakOff()
  expect(shown.dialog).toBeNull()
  await comeBack()
  last().events.onDialog(dialog)
  session.want(null)
  expect(shown.dialog).toBeNull()
  // Answered, but nothing comes.
  await want('view')
  const before = connections.length
  last().events.onDialog(dialog)
  last().events.onDialog(null)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(connections.length).toBeGreaterThan(before)
})
