import { expect, test } from 'vitest'
import { readLaunchOptions } from './launch-options.ts'
import { machineOf, machinePlace, placeOf } from './places.ts'
import { fillScreen, keptOf, readKept, restoreBounds } from './window-bounds.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1080 }

test('a window opens where it was, and in the middle when that screen is gone', () => {
  expect(restoreBounds({ x: 10, y: 20, width: 1200, height: 800 }, [screen])).toEqual({
    x: 10,
    y: 20,
    width: 1200,
    height: 800,
  })
  expect(restoreBounds({ x: 4000, y: 20, width: 1200, height: 800 }, [screen])).toEqual({ width: 1200, height: 800 })
})

test.each([
  undefined,
  null,
  'x',
  {},
  { x: 1, y: 2, width: '3', height: 4 },
  { x: 0, y: 0, width: Number.NaN, height: 1 },
])('what is kept but makes no sense (%j) gives the first size', (kept) => {
  expect(restoreBounds(kept, [screen])).toEqual({ width: 1440, height: 900 })
})

test('no window is smaller than what the screens are made for, nor larger than the display at first', () => {
  expect(restoreBounds({ x: 0, y: 0, width: 10, height: 10 }, [screen])).toMatchObject({ width: 1024, height: 700 })
  expect(restoreBounds(undefined, [{ x: 0, y: 0, width: 1280, height: 720 }])).toEqual({ width: 1280, height: 720 })
})

test('every window of the last run comes back with its place; one of an older console, or none, is one window', () => {
  const bounds = { x: 1, y: 2, width: 1200, height: 800 }
  const usual = { maximized: false, fullScreen: false }
  const two = [
    { bounds, place: '#/machine/m1/live', maximized: true, fullScreen: false },
    { bounds, place: '#/audit', maximized: false, fullScreen: true },
  ]
  expect(readKept(two)).toEqual(two)
  expect(readKept(undefined, bounds)).toEqual([{ bounds, place: '#/fleet', ...usual }])
  expect(readKept([{ bounds, place: '#/audit' }])).toEqual([{ bounds, place: '#/audit', ...usual }])
  for (const nonsense of [null, 'x', [], [null, 3], {}]) {
    expect(readKept(nonsense), JSON.stringify(nonsense)).toEqual([{ bounds: undefined, place: '#/fleet', ...usual }])
  }
  expect(readKept([{ bounds, place: 'file:///etc/passwd' }])).toEqual([{ bounds, place: '#/fleet', ...usual }])
})

test('a window of a larger screen that is gone is as large as the one it is on now', () => {
  const beside = { x: 1920, y: 40, width: 1280, height: 760 }
  expect(restoreBounds({ x: 0, y: 0, width: 3840, height: 2100 }, [screen])).toEqual(screen)
  expect(restoreBounds({ x: 1800, y: 100, width: 1500, height: 740 }, [screen, beside])).toEqual({
    ...{ x: 1920, y: 100, width: 1280, height: 740 },
  })
  // Over the edge, but not too large: as it was left.
  const over = { x: 1200, y: 300, width: 1100, height: 900 }
  expect(restoreBounds(over, [screen])).toEqual(over)
})

test('a window that filled its screen fills it again, unless that was only a part of its page', () => {
  const bounds = { x: 1, y: 2, width: 1200, height: 800 }
  const frame = { getNormalBounds: () => bounds, isMaximized: () => true, isFullScreen: () => true }
  expect(keptOf(frame, '#/audit', false)).toEqual({ bounds, place: '#/audit', maximized: true, fullScreen: true })
  expect(keptOf(frame, '#/audit', true)).toMatchObject({ maximized: true, fullScreen: false })
  const done: string[] = []
  const window = { maximize: () => done.push('maximize'), setFullScreen: (on: boolean) => done.push(`full ${on}`) }
  fillScreen(window, { maximized: false, fullScreen: false })
  expect(done).toEqual([])
  fillScreen(window, keptOf(frame, '#/audit', false))
  expect(done).toEqual(['maximize', 'full true'])
})

test('a place says which machine it is about, and is taken from an address only where it is one', () => {
  expect(machineOf(machinePlace('a/b c'))).toBe('a/b c')
  expect(machineOf('#/fleet')).toBeNull()
  expect(machineOf('#/machine/%E0%A4%A/live')).toBeNull()
  expect(placeOf('app://pilothouse/index.html#/machine/m1/live')).toBe('#/machine/m1/live')
  for (const url of ['', 'about:blank', 'app://pilothouse/index.html', `app://pilothouse/#/${'x'.repeat(500)}`]) {
    expect(placeOf(url), url).toBe('#/fleet')
  }
})

test('the command line says where data stands and what to open', () => {
  expect(readLaunchOptions(['electron', '.', '--demo'], {})).toEqual({
    userData: undefined,
    open: 'demo',
    screenshot: undefined,
  })
  expect(readLaunchOptions(['--screenshot=/tmp/a b.png', '--user-data-dir=/tmp/u'], {})).toEqual({
    userData: '/tmp/u',
    open: 'demo',
    screenshot: '/tmp/a b.png',
  })
  expect(readLaunchOptions(['--user-data-dir=/tmp/u'], { PILOTHOUSE_USER_DATA: '/tmp/v' }).userData).toBe('/tmp/v')
})
