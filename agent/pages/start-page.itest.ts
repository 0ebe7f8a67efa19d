import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'

const first = `<!doctype html><title>first</title><script>console.log('from the first page')</script>
  <script src="/gone.js"></script><script>missing.call()</script>`

let rig: TestAgent
let site: http.Server
let origin: string
const held: http.ServerResponse[] = []
beforeAll(async () => {
  site = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    if (request.url === '/held') held.push(response)
    else if (request.url === '/nothing') response.writeHead(204).end()
    else if (request.url === '/gone.js') response.writeHead(404).end()
    else if (request.url === '/file') response.setHeader('content-disposition', 'attachment; filename="a.bin"').end('x')
    else response.end(first)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  rig = await startTestAgent()
})
afterEach(() => rig.client.call('browser.stop'))
afterAll(async () => {
  await rig.stop()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})
const start = (path: string) => rig.client.call('browser.start', { headless: true, url: origin + path })

test('what the first page fetches and says is kept from its very beginning, and nothing lies before it', async () => {
  expect(await start('/')).toMatchObject({ state: 'active', url: `${origin}/` })
  const { browser, tabs } = rig.client.nouns
  expect((await tabs.list()).tabs).toMatchObject([{ url: `${origin}/`, active: true }])
  await expect
    .poll(async () => (await browser.network()).requests.map(({ url, status }) => [url, status]))
    .toEqual(
      expect.arrayContaining([
        [`${origin}/`, 200],
        [`${origin}/gone.js`, 404],
      ]),
    )
  await expect
    .poll(async () => (await browser.console()).messages.map(({ text }) => text))
    .toEqual(expect.arrayContaining(['from the first page', expect.stringContaining('missing is not defined')]))
  // The log of events has its troubles too.
  await expect
    .poll(async () => (await rig.client.nouns.timeline.list()).entries.map(({ what }) => what))
    .toEqual(expect.arrayContaining(['console-error', 'failed-request']))
  await expect(browser.back({})).rejects.toMatchObject({ code: 'conflict' })
  expect((await browser.execute({ expression: 'history.length' })).result).toBe(1)
})

test('of the browser’s own pages none is opened', async () => {
  const { url } = await rig.client.call('browser.start', { headless: true, url: 'about:version' })
  expect(url).toMatch(/^about:/)
})

test('a page that does not answer keeps no start waiting, and is the first of the history when it comes', async () => {
  expect(await start('/held')).toMatchObject({ state: 'active', url: `${origin}/held` })
  await expect.poll(() => held.length).toBe(1)
  held[0]?.end(first)
  const { browser } = rig.client.nouns
  await expect
    .poll(async () => (await browser.execute({ expression: 'history.length + document.title' })).result)
    .toBe('1first')
  await browser.navigate({ url: `${origin}/next` })
  expect(await browser.back({})).toMatchObject({ url: `${origin}/held` })
})

test.each(['/file', '/nothing'])('%s leaves the tab blank', async (path) => {
  expect(await start(path)).toMatchObject({ state: 'active', url: 'about:blank' })
  await rig.client.nouns.browser.navigate({ url: `${origin}/` })
  await expect(rig.client.nouns.browser.back({})).rejects.toMatchObject({ code: 'conflict' })
})
