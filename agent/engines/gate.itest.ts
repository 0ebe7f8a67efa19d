import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { findPage } from '../../e2e/rigs/cdp-page.ts'
import { type Chromium, startChromium } from '../../e2e/rigs/chromium.ts'
import { until } from '../../e2e/rigs/until.ts'
import { CdpConnection } from '../browser/cdp.ts'
import { CdpClients } from '../cdp/clients.ts'
import type { Freedom } from './engine-link.ts'
import { openGate } from './gate.ts'

/** Counts what a person or an engine does to it. */
const counting = `data:text/html,<title>Count</title><body style="margin:0;height:100vh"><script>seen = 0
for (const type of ['mousedown', 'keydown']) addEventListener(type, () => seen++)</script>`

const uploadDir = mkdtempSync(path.join(os.tmpdir(), 'uploads-'))
let chromium: Chromium
let freedom: Freedom = { kind: 'free' }
beforeAll(async () => {
  chromium = await startChromium(counting)
})
afterAll(async () => {
  await chromium.stop()
  rmSync(uploadDir, { recursive: true, force: true })
})
beforeEach(() => {
  freedom = { kind: 'free' }
})

/** A gate with a list of clients of its own: whatever an earlier test left behind is not in the way. */
async function startGate() {
  const clients = new CdpClients()
  const answer = await fetch(`${chromium.cdpUrl}/json/version`)
  const { webSocketDebuggerUrl: browserUrl } = (await answer.json()) as { webSocketDebuggerUrl: string }
  const open = () =>
    openGate({
      ...{ name: 'engine', devTools: { port: chromium.port, browserUrl }, clients },
      ...{ freedom: () => freedom, uploadDir },
    })
  const gate = await open()
  onTestFinished(() => gate.close('the test is over'))
  return { gate, clients, open }
}

test('an engine that never stops trying: free it acts, held or looking it does not, and it never ends the browser', async () => {
  const { gate, clients, open } = await startGate()
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
  const { gate } = await startGate()
  const refused = (url: string, headers = {}) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url, { headers })
      socket.on('open', () => resolve('open'))
      socket.on('error', () => resolve('refused'))
      onTestFinished(() => socket.terminate())
    })
  expect(await refused(gate.cdpUrl.slice(0, -1))).toBe('refused')
  expect(await refused(gate.cdpUrl, { origin: 'https://evil.example' })).toBe('refused')
  expect(await refused(gate.cdpUrl)).toBe('open')
  expect(await refused(gate.cdpUrl)).toBe('refused')
})

test('an engine whose model was talked into it reads no file of the machine, and gives none to a page', async () => {
  const { gate } = await startGate()
  const engine = await CdpConnection.connect(gate.cdpUrl)
  const { targetId } = await engine.send('Target.createTarget', { url: '' })
  onTestFinished(async () => {
    await fetch(`${chromium.cdpUrl}/json/close/${targetId}`)
  })
  const tab = await engine.attach(String(targetId))
  const told = async () => (await tab.send('Runtime.evaluate', { expression: 'location + document.title' }))['result']

  const beyond = ['file:///etc/hosts', ' FILE:///etc/hosts', 'view-source:file:///etc/hosts', 'chrome://version', 'x']
  for (const url of beyond) {
    await expect(tab.send('Page.navigate', { url }), url).rejects.toThrow(/not for engines/)
    await expect(engine.send('Target.createTarget', { url }), url).rejects.toThrow(/not for engines/)
  }
  expect(gate.refused).toBe(2 * beyond.length)
  expect(await told()).toMatchObject({ value: 'about:blank' })

  const field = '<title>F</title><input type=file multiple onchange="document.title=[...files].map((f)=>f.name)">'
  const url = `data:text/html,${encodeURIComponent(field)}`
  await tab.send('Page.navigate', { url })
  const found = async () =>
    (await tab.send('Runtime.evaluate', { expression: 'document.querySelector("input")' }))['result'] as {
      objectId?: string
    }
  await expect.poll(async () => (await found()).objectId).toBeDefined()
  const { objectId } = await found()
  writeFileSync(path.join(uploadDir, 'cv.txt'), 'a resume')
  const give = (...files: string[]) => tab.send('DOM.setFileInputFiles', { files, objectId })
  for (const file of ['/etc/hosts', path.join(uploadDir, '..', 'x'), '../cv.txt'])
    await expect(give(path.join(uploadDir, 'cv.txt'), file), file).rejects.toThrow(/not for engines/)
  await give(path.join(uploadDir, 'cv.txt'))
  await expect.poll(told).toMatchObject({ value: `${url}cv.txt` })
})
