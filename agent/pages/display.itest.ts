import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'

/** Pages that do to a browser with a real window what they cannot do to one without. */
const site: Record<string, (origin: string) => string> = {
  '/': () => '<title>home</title><p>home</p>',
  '/opener': () => `<title>opener</title><button id=go onclick="window.open('/')">go</button>
    <button id=write onclick="window.open('about:blank').document.write('<title>written</title><p id=w>w')">write</button>
    <button id=closes onclick="window.open('/closes')">closes</button>`,
  '/closes': () => '<title>closes</title><button onclick="window.close()">close</button>',
  '/locks': () => `<title>locks</title><button id="lock" onclick="document.body.requestPointerLock()">lock</button>
    <button id="other" onclick="document.title = 'clicked'">other</button>`,
  '/prints': () =>
    `<title>prints</title><button onclick="document.title = 'clicked'">b</button><script>print()</script>`,
  '/file': () => `<title>file</title><input type=file><button onclick="window.open('/')">b</button>`,
  '/framed': (origin) =>
    `<iframe src="${origin.replace('127.0.0.1', 'localhost')}/inner" style="width:600px;height:400px;padding:9px"></iframe>`,
  '/inner': (origin) =>
    `<iframe src="${origin}/red" style="width:400px;height:400px;transform:scale(.5,.75);margin-top:90px"></iframe>`,
  '/turned': (origin) =>
    `<script>onmessage = ({ data }) => (document.title = data)</script><div style="rotate:-20deg;padding:120px 200px"><iframe src="${origin.replace('127.0.0.1', 'localhost')}/small" style="width:300px;height:200px;border:5px solid;transform:rotate(90deg) scale(1.2,-.9) skewX(10deg)"></iframe></div>`,
  '/small': () =>
    `<body style="margin:0"><button style="position:absolute;left:250px;top:160px;width:40px;height:20px" onclick="parent.postMessage('hit', '*')">b</button>`,
  '/red': () => '<body style="margin:0"><div id=red style="margin:200px 100px;width:80px;height:40px;background:red">',
}

let rig: TestAgent
let server: http.Server
let origin: string
beforeAll(async () => {
  server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html>${site[request.url ?? '']?.(origin) ?? ''}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rig = await startTestAgent()
  await rig.client.call('browser.start', { width: 800, height: 600 }, { timeoutMs: 60_000 })
})
afterAll(async () => {
  await rig.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
const api = () => rig.client.nouns
const open = (path: string) => api().browser.navigate({ url: origin + path })
const evaluate = async (expression: string) => (await api().browser.execute({ expression })).result
const tabs = async () => (await api().tabs.list()).tabs.map(({ title, active }) => (active ? `[${title}]` : title))
beforeEach(async () => {
  const fresh = await api().tabs.open()
  for (const { id } of (await api().tabs.list()).tabs) if (id !== fresh.id) await api().tabs.close({ id })
})

test.each([
  ['#go', 'home'],
  ['#write', 'written'],
])('what %s opens is in front, under its own title', async (selector, title) => {
  await open('/opener')
  await api().browser.click({ selector })
  await expect.poll(tabs).toEqual(['opener', `[${title}]`])
  expect((await api().browser.content({ selector: 'p' })).title).toBe(title)
})

test('a click that closes its tab has worked, and the browser outlives its last tab', async () => {
  await open('/opener')
  await api().browser.click({ selector: '#closes' })
  await expect.poll(tabs).toEqual(['opener', '[closes]'])
  expect(await api().browser.click({ selector: 'button' })).toEqual({ ok: true })
  await expect.poll(tabs).toEqual(['[opener]'])
  const [last] = (await api().tabs.list()).tabs
  await api().tabs.close({ id: last?.id ?? '' })
  await expect(api().browser.content()).rejects.toMatchObject({ code: 'cdp-error' })
  await api().tabs.open({ url: `${origin}/` })
  // The page alone, as before: no bars, no address that a person could type into. And nothing lies before it.
  await expect.poll(() => evaluate('[innerWidth, innerHeight]')).toEqual([800, 600])
  await expect(api().browser.back({})).rejects.toMatchObject({ code: 'conflict' })
})

test('a page that has the pointer to itself keeps nobody from clicking', async () => {
  await open('/locks')
  await api().browser.click({ selector: '#lock' })
  await expect.poll(() => evaluate('document.pointerLockElement?.localName')).toBe('body')
  await api().browser.click({ selector: '#other' })
  await expect.poll(tabs).toEqual(['[clicked]'])
})

test('a page that prints keeps nobody from clicking', async () => {
  await open('/prints')
  await api().browser.click({ selector: 'button' })
  // The title gets to the list of tabs a moment after the page has it.
  await expect.poll(tabs).toEqual(['[clicked]'])
  expect(Buffer.from((await api().browser.pdf()).bytes).toString('latin1', 0, 4)).toBe('%PDF')
})

test('a picture of an element in frames that are shown smaller', async () => {
  await open('/framed')
  await expect.poll(async () => (await api().browser.wait({ selector: '#red' })).found).toBe(true)
  const { bytes } = await api().browser.screenshot({ selector: '#red' })
  await open('/')
  const seen = await evaluate(`(async () => {
    const data = await fetch('data:image/png;base64,${Buffer.from(bytes).toString('base64')}')
    const picture = await createImageBitmap(await data.blob())
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    canvas.drawImage(picture, 0, 0)
    const colours = [[1, 1], [20, 15], [38, 28]].map(([x, y]) => canvas.getImageData(x, y, 1, 1).data.join())
    return [picture.width, picture.height, ...colours]
  })()`)
  expect(seen).toEqual([40, 30, '255,0,0,255', '255,0,0,255', '255,0,0,255'])
})

test('a button in a frame of another site that is turned, mirrored and skewed is hit', async () => {
  await open('/turned')
  await api().browser.click({ selector: 'button' })
  await expect.poll(() => evaluate('document.title')).toBe('hit')
})

test('a click on a file field opens a dialog of the desktop only for a person', async () => {
  await open('/file')
  await api().browser.click({ selector: 'input' })
  await api().browser.click({ selector: 'button' })
  await expect.poll(tabs).toEqual(['file', '[home]'])
  // With such a dialog Chromium opens no windows.
  const [first] = (await api().tabs.list()).tabs
  await api().tabs.activate({ id: first?.id ?? '' })
  const { leaseId } = await api().takeover.take({ operator: 'Ann', reason: 'upload', ttlMs: 60_000 })
  await api().browser.click({ selector: 'input', leaseId })
  await expect
    .poll(async () => (await api().browser.execute({ expression: `window.open('/') === null`, leaseId })).result)
    .toBe(true)
})
