import { expect, test } from 'vitest'
import { XConnection } from '../display/x11.ts'
import { RfbTestClient } from '../takeover/rfb-test-client.ts'
import { BrowserBench, evaluate } from './browser-bench.ts'

const bench = BrowserBench.forEachTest()
const patient = { timeout: 10_000 }

/** The page's size in pixels of the screen, and that of its picture. */
async function seen(): Promise<{ page: unknown; picture: number[] }> {
  const page = await bench.openPage()
  try {
    const inner = await evaluate(page, '[innerWidth, innerHeight].map((side) => side * devicePixelRatio)')
    const { data } = await page.send('Page.captureScreenshot', { format: 'png' })
    const png = Buffer.from(String(data), 'base64')
    return { page: inner, picture: [png.readUInt32BE(16), png.readUInt32BE(20)] }
  } finally {
    await page.detach()
  }
}

/** Left, top, right and bottom of the windows that programs have on the display. */
async function windows(): Promise<number[][]> {
  const { display } = bench.parts.browser.requireSession()
  const x = await XConnection.open(display?.env ?? { DISPLAY: 'none' })
  try {
    const ofWindow = (id: number) => {
      const body = Buffer.alloc(4)
      body.writeUInt32LE(id)
      return body
    }
    const tree = await x.ask(15, 0, ofWindow(x.root))
    const all = Array.from({ length: tree.readUInt16LE(16) }, (_, index) => tree.readUInt32LE(32 + 4 * index))
    const edges = all.map(async (id) => {
      const found = await x.ask(14, 0, ofWindow(id))
      const [left, top] = [found.readInt16LE(12), found.readInt16LE(14)]
      return [left, top, left + found.readUInt16LE(16), top + found.readUInt16LE(18)]
    })
    return await Promise.all(edges)
  } finally {
    x.close()
  }
}

const exactly = (width: number, height: number) => ({ page: [width, height], picture: [width, height] })

test.each([
  [1280, 720, 96],
  [811, 603, 96],
  [1920, 1080, 144],
  [1280, 720, 192],
])('a page on a display of %i × %i at %i dpi is that large, to the pixel', async (width, height, dpi) => {
  await bench.start({ width, height, dpi })
  expect(await seen()).toEqual(exactly(width, height))
})

test('a display that is no whole number of CSS pixels shows a page of the next one, and no row beyond', async () => {
  await bench.start({ width: 811, height: 603, dpi: 144 })
  // 811 / 1.5 is 540.7: Chromium lays out 541, and draws the last one over the edge.
  expect(await seen()).toEqual({ page: [541 * 1.5, 603], picture: [812, 603] })
})

test('it stays so when the page fills the screen, when the display changes, and in the next window', async () => {
  await bench.start({ width: 1280, height: 720 })
  const page = await bench.openPage()
  for (const expression of ['document.documentElement.requestFullscreen()', 'document.exitFullscreen()']) {
    await page.send('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true })
    await expect.poll(seen, patient).toEqual(exactly(1280, 720))
  }
  const { leaseId } = bench.take()
  const controller = await RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'control', leaseId })
  for (const [width, height] of [
    [1000, 700],
    [1400, 900],
  ] as const) {
    expect(await controller.resize(width, height)).toBe(0)
    await expect.poll(seen, patient).toEqual(exactly(width, height))
  }
  controller.close()
  const { pages } = bench.parts.browser.requireSession()
  for (const open of pages.list()) await pages.closeTab(open)
  await expect.poll(() => pages.list(), patient).toEqual([])
  await pages.openTab(false)
  await expect.poll(seen, patient).toEqual(exactly(1400, 900))
})

test('the dialog in which a person chooses a file is on the display with all of its buttons', async () => {
  // Narrower than the display, and higher.
  await bench.start({ width: 1400, height: 600, url: 'data:text/html,<input type=file id=file>' })
  const large = async () => (await windows()).filter(([l = 0, t = 0, r = 0, b = 0]) => r - l > 400 && b - t > 400)
  expect(await large()).toEqual([[0, 0, 1400, 600]])
  await bench.parts.browser.requireSession().pages.catchFiles(false)
  const page = await bench.openPage()
  await page.send('Runtime.evaluate', { expression: 'file.click()', userGesture: true })
  await expect.poll(async () => (await large()).length, patient).toBe(2)
  await expect
    .poll(async () => (await large()).map(([, top, , bottom]) => [top, bottom]), patient)
    .toEqual([
      [0, 600],
      [0, 600],
    ])
})
