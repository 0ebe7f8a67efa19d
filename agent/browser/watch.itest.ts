import { describe, expect, test } from 'vitest'
import { watch } from '../../shared/contract/browser.ts'
import type { ParamsIn } from '../../shared/contract/define.ts'
import type { ServerSocket } from '../server/handlers.ts'
import { RfbTestClient, testContext } from '../takeover/rfb-test-client.ts'
import { BrowserBench, evaluate, probePage } from './browser-bench.ts'

const bench = BrowserBench.forEachTest()

describe('without a display', () => {
  interface Watcher {
    messages: Record<string, unknown>[]
    pictures: Buffer[]
    socket: ServerSocket<'watch'>
  }

  async function watchPage(params: ParamsIn<typeof watch>): Promise<Watcher> {
    const watcher: Watcher = {
      messages: [],
      pictures: [],
      socket: {
        send: (message) => watcher.messages.push(message),
        sendBytes: (bytes) => watcher.pictures.push(Buffer.from(bytes)),
        bufferedBytes: 0,
        pause: () => {},
        resume: () => {},
        close: () => watcher.socket.onClose(),
        onMessage: () => {},
        onBytes: () => {},
        onClose: () => {},
      },
    }
    const accept = await bench.parts.sockets.watch(watch.params.parse(params), testContext())
    accept(watcher.socket)
    return watcher
  }
  const press = (watcher: Watcher, key: string, event: 'down' | 'up') =>
    watcher.socket.onMessage({
      type: 'key',
      key,
      code: '',
      keyCode: key.toUpperCase().charCodeAt(0),
      modifiers: 0,
      event,
    })
  const kinds = (watcher: Watcher) => new Set(watcher.messages.map((message) => message['type']))

  test('the page comes as pictures, and input passes with the lease only', async () => {
    const status = await bench.start({ headless: true, width: 640, height: 480, url: probePage })
    expect(status).toMatchObject({ state: 'active', display: null, liveView: 'screencast' })
    expect(status.processes.map((program) => program.name)).toEqual(['chromium'])
    await expect(RfbTestClient.open(bench.parts.sockets.vnc, { mode: 'view' })).rejects.toMatchObject({
      code: 'not-found',
    })

    const lease = bench.take()
    const viewer = await watchPage({ screencast: true })
    const controller = await watchPage({ screencast: true, leaseId: lease.leaseId })
    expect(bench.parts.viewers.count).toBe(2)
    for (const watcher of [viewer, controller]) {
      await expect.poll(() => watcher.pictures.length, { timeout: 10_000 }).toBeGreaterThan(0)
      expect(kinds(watcher)).toEqual(new Set(['control', 'page', 'frame']))
      expect(watcher.pictures[0]?.subarray(0, 3).toString('hex')).toBe('ffd8ff')
      expect(watcher.messages.find((message) => message['type'] === 'frame')).toMatchObject({
        bytes: watcher.pictures[0]?.length,
        width: 640,
        height: 480,
      })
    }
    const page = await bench.openPage()
    press(viewer, 'v', 'down')
    press(controller, 'c', 'down')
    await expect.poll(() => evaluate(page, 'log.join()')).toBe('+c')
    bench.parts.leases.handBack(lease.leaseId)
    await expect.poll(() => evaluate(page, 'log.join()')).toBe('+c,-c')
    expect(controller.messages.at(-1)).toEqual({ type: 'control', held: false })
    press(controller, 'x', 'down')
    // Whatever was let through would have reached the page before this.
    await evaluate(page, '1')
    expect(await evaluate(page, 'log.join()')).toBe('+c,-c')
    viewer.socket.close()
    controller.socket.close()
    expect(bench.parts.viewers.count).toBe(0)
  })

  test('it sends no more pictures a second than asked for, and always the last one', async () => {
    const page = `data:text/html,${encodeURIComponent(`<body><script>let n = 0; (function f() {
      document.body.style.background = n++ % 2 ? 'red' : 'blue'; if (!window.ended) requestAnimationFrame(f) })()</script>`)}`
    await bench.start({ headless: true, url: page, streamFrameRate: 10 })
    const viewer = await watchPage({ screencast: true })
    const times: number[] = []
    const { sendBytes } = viewer.socket
    viewer.socket.sendBytes = (bytes) => {
      times.push(performance.now())
      sendBytes(bytes)
    }
    await expect.poll(() => times.length, { timeout: 20_000 }).toBeGreaterThan(8)
    for (const [place, time] of times.entries())
      if (place > 0) expect(time - (times[place - 1] ?? 0)).toBeGreaterThan(95)
    const cdp = await bench.openPage()
    await evaluate(
      cdp,
      'window.ended = true; document.body.style.background = "lime"; document.body.innerHTML = "x".repeat(5000)',
    )
    const before = viewer.pictures.length
    await expect.poll(() => viewer.pictures.length, { timeout: 10_000 }).toBeGreaterThan(before)
    viewer.socket.close()
  })

  test('it follows to another tab', async () => {
    await bench.start({ headless: true, url: probePage })
    const viewer = await watchPage({ screencast: true })
    await expect.poll(() => viewer.pictures.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const before = viewer.pictures.length
    const { cdp } = bench.parts.browser.requireSession()
    await cdp.send('Target.createTarget', { url: 'data:text/html,<title>second</title>two' })
    await expect
      .poll(() => viewer.messages.filter((message) => message['type'] === 'page').at(-1)?.['title'], {
        timeout: 10_000,
      })
      .toBe('second')
    await expect.poll(() => viewer.pictures.length, { timeout: 10_000 }).toBeGreaterThan(before)
    viewer.socket.close()
  })

  test('a dialog of the page is told to whoever is there or comes, and keeps what is pressed from the page behind it', async () => {
    await bench.start({ headless: true, url: probePage })
    const { leaseId } = bench.take()
    const controller = await watchPage({ screencast: true, events: false, leaseId })
    const typist = await watchPage({ events: false, leaseId })
    await expect.poll(() => controller.pictures.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const page = await bench.openPage()
    const dialogs = (watcher: Watcher) => watcher.messages.filter((message) => message['type'] === 'dialog')
    const [tab] = bench.parts.browser.requireSession().pages.list()
    const told = { type: 'prompt', message: 'Who?', defaultPrompt: 'x', url: expect.any(String) }
    const asked = evaluate(page, 'window.said = prompt("Who?", "x")')
    await expect.poll(() => dialogs(controller)).toEqual([{ type: 'dialog', tabId: tab?.id, dialog: told }])
    press(controller, 'k', 'down')
    typist.socket.onMessage({ type: 'text', text: 'Ł', id: 7 })
    await expect.poll(() => typist.messages.at(-1)).toEqual({ type: 'acted', id: 7, taken: false })
    const late = await watchPage({ screencast: true, events: false })
    expect(dialogs(late)).toEqual(dialogs(controller))
    await expect.poll(() => late.pictures.length, { timeout: 10_000 }).toBeGreaterThan(0)
    await tab?.cdp.send('Page.handleJavaScriptDialog', { accept: true, promptText: 'Ada' })
    expect(await asked).toBe('Ada')
    await expect.poll(() => dialogs(late).at(-1)).toEqual({ type: 'dialog', tabId: tab?.id, dialog: null })
    typist.socket.onMessage({ type: 'text', text: 'é', id: 8 })
    await expect.poll(() => typist.messages.at(-1)).toEqual({ type: 'acted', id: 8, taken: true })
    press(controller, 'n', 'down')
    await expect.poll(() => evaluate(page, 'log.join()')).toBe('+n')
    // A client that hears of all that happens hears of dialogs there.
    expect(dialogs(typist)).toEqual([])
    for (const { socket } of [controller, typist, late]) socket.close()
  })
})
