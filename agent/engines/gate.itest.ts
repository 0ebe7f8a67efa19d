import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { findPage } from '../../e2e/rigs/cdp-page.ts'
import { type Chromium, startChromium } from '../../e2e/rigs/chromium.ts'
import { until } from '../../e2e/rigs/until.ts'
import { CdpConnection } from '../browser/cdp.ts'
import { CdpClients } from '../cdp/clients.ts'
import type { Freedom } from './engine-link.ts'
import { type Gate, openGate } from './gate.ts'

/** Counts what a person or an engine does to it. */
const counting = `data:text/html,<title>Count</title><body style="margin:0;height:100vh"><script>seen = 0
for (const type of ['mousedown', 'keydown']) addEventListener(type, () => seen++)</script>`

let chromium: Chromium
let gate: Gate
let freedom: Freedom = { kind: 'free' }
const clients = new CdpClients()
const open = async () => {
  const answer = await fetch(`${chromium.cdpUrl}/json/version`)
  const { webSocketDebuggerUrl: browserUrl } = (await answer.json()) as { webSocketDebuggerUrl: string }
  const devTools = { port: chromium.port, browserUrl }
  return openGate({ name: 'engine', devTools, clients, freedom: () => freedom })
}
beforeEach(async () => {
  freedom = { kind: 'free' }
  chromium = await startChromium(counting)
  gate = await open()
})
afterEach(async () => {
  gate.close('the test is over')
  await chromium.stop()
})

test('an engine that never stops trying: free it acts, held or looking it does not, and it never ends the browser', async () => {
  await expect(open()).rejects.toMatchObject({ code: 'controller-busy' })
  const engine = await CdpConnection.connect(gate.cdpUrl)
  const { targetInfos } = await engine.send('Target.getTargets')
  const target = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === 'page')
  const tab = await engine.attach(target?.targetId ?? '')
  const page = await until('the page', () => findPage(chromium.cdpUrl, (url) => url.startsWith('data:')))
  const seen = () => page.evaluate<number | undefined>('globalThis.seen')
  const press = () =>
    tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', x: 9, y: 9, button: 'left', clickCount: 1 })
  const key = () => tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a', code: 'KeyA' })

  // Input that comes before a page was drawn for the first time is lost.
  await until('a page that takes input', async () => {
    await press()
    return ((await seen()) ?? 0) > 0
  })
  await page.evaluate('seen = 0')
  gate.takeHeldInput()

  await press()
  await key()
  expect(await seen()).toBe(2)
  expect(gate.takeHeldInput()).toMatchObject({ keys: [{ code: 'KeyA' }], buttons: [{ button: 'left' }] })
  expect(gate.takeHeldInput()).toEqual({ keys: [], buttons: [] })

  freedom = { kind: 'held', operator: 'Ann' }
  const writing = [
    ...Array.from({ length: 50 }, () => [press, key]).flat(),
    () => tab.send('Runtime.evaluate', { expression: 'seen += 100' }),
    () => tab.send('Page.navigate', { url: 'about:blank' }),
    () => tab.send('Page.reload'),
    () => engine.send('Target.closeTarget', { targetId: target?.targetId }),
    () => engine.send('Target.createTarget', { url: 'about:blank' }),
  ]
  for (const attempt of writing) await expect(attempt()).rejects.toThrow(/Ann has control/)
  expect(gate.refused).toBe(writing.length)
  expect(await seen()).toBe(2)

  freedom = { kind: 'looking' }
  expect((await tab.send('Runtime.evaluate', { expression: 'document.title' }))['result']).toMatchObject({
    value: 'Count',
  })
  for (const attempt of [press, key, () => tab.send('Page.navigate', { url: 'about:blank' })])
    await expect(attempt()).rejects.toThrow(/still has control/)
  expect(await seen()).toBe(2)

  freedom = { kind: 'free' }
  await expect(engine.send('Browser.close')).rejects.toThrow(/not for engines/)
  await press()
  expect(await seen()).toBe(3)
  page.close()

  gate.close('enough')
  await engine.closed
  expect(clients.list()).toEqual([])
  expect((await fetch(`${chromium.cdpUrl}/json/version`)).ok).toBe(true)
})

test('its address takes one engine once, and no web page', async () => {
  const refused = (url: string, headers = {}) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url, { headers })
      socket.once('open', () => resolve('open'))
      socket.once('error', () => resolve('refused'))
    })
  expect(await refused(gate.cdpUrl.slice(0, -1))).toBe('refused')
  expect(await refused(gate.cdpUrl, { origin: 'https://evil.example' })).toBe('refused')
  expect(await refused(gate.cdpUrl)).toBe('open')
  expect(await refused(gate.cdpUrl)).toBe('refused')
})
