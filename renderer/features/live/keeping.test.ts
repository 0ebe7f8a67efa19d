import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PortStream } from '../../../shared/stream.ts'
import type { Screen, ScreenEvents } from './screen.ts'
import { LiveSession } from './session.ts'
import { type LiveSnapshot, nothingShown } from './snapshot.ts'

const pictures = vi.hoisted(() => ({
  kept: [] as number[],
  shown: [] as (() => unknown)[],
  recalled: undefined as ((picture: { canvas: unknown; at: number } | undefined) => void) | undefined,
}))
vi.mock('./pictures.ts', () => ({
  drawCopy: () => {},
  isShown: (_id: string, canvas: () => unknown) => {
    pictures.shown.push(canvas)
    return () => pictures.shown.splice(pictures.shown.indexOf(canvas), 1)
  },
  keepPicture: () => {
    pictures.kept.push(Date.now())
    return { canvas: {}, at: Date.now() }
  },
  lastPicture: () => undefined,
  recallPicture: () => new Promise((resolve) => (pictures.recalled = resolve)),
}))

let session: LiveSession
let snapshot: LiveSnapshot
let connection: ScreenEvents | undefined
const screen = { canvas: {}, focus() {}, press() {}, hold() {}, adjust() {}, close() {} }
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const watch = async () => {
  session.want({ view: 'vnc', mode: 'view' })
  await pass(0)
}

beforeEach(() => {
  vi.useFakeTimers()
  const element = () => ({ style: {}, append() {}, remove() {}, contains: () => false, addEventListener() {} })
  vi.stubGlobal('document', { body: null, activeElement: null, createElement: element, querySelector: () => null })
  Object.assign(pictures, { kept: [], shown: [], recalled: undefined })
  snapshot = nothingShown
  session = new LiveSession({
    machineId: 'm',
    stage: element() as unknown as HTMLElement,
    still: {} as HTMLCanvasElement,
    source: {
      open: async () => ({ close: () => {} }) as unknown as PortStream,
      draw: (_target, _stream, _wish, _look, events) => {
        connection = events
        return screen as unknown as Screen
      },
    },
    onChange: (next) => (snapshot = next),
    onShown: () => {},
    onDownload: () => {},
  })
})
afterEach(() => {
  session.dispose()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a picture that moves is kept every half minute, one that stands still once, and any when it is left', async () => {
  await watch()
  expect(pictures.shown[0]?.()).toBeNull()
  connection?.onComplete()
  expect(pictures.shown[0]?.()).toBe(screen.canvas)
  await pass(29_000)
  expect(pictures.kept).toHaveLength(0)
  await pass(2000)
  expect(pictures.kept).toHaveLength(1)
  await pass(120_000)
  expect(pictures.kept).toHaveLength(1)
  for (let second = 0; second < 65; second++) {
    connection?.onFrame()
    await pass(1000)
  }
  expect(pictures.kept).toHaveLength(4)
  session.want(null)
  expect(pictures.kept).toHaveLength(5)
  expect(pictures.shown[0]?.()).toBeNull()
  session.dispose()
  expect(pictures.shown).toHaveLength(0)
})

test('a picture of before is said to be one until the machine shows another, and never comes after it', async () => {
  await watch()
  pictures.recalled?.({ canvas: {}, at: 7 })
  await pass(0)
  expect(snapshot).toMatchObject({ phase: 'connecting', pictureAt: 7, recalled: true })
  connection?.onComplete()
  expect(snapshot).toMatchObject({ phase: 'live', pictureAt: null, recalled: false })
  session.want(null)
  expect(snapshot).toMatchObject({ phase: 'idle', recalled: false })
})

test('one that comes back late does not stand over what is live', async () => {
  await watch()
  connection?.onComplete()
  pictures.recalled?.({ canvas: {}, at: 7 })
  await pass(0)
  expect(snapshot).toMatchObject({ phase: 'live', pictureAt: null, recalled: false })
})
