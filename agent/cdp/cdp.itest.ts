import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright'
import puppeteer from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumAddress, findPage } from '../../e2e/rigs/cdp-page.ts'
import { until } from '../../e2e/rigs/until.ts'
import { type CdpRig, RawCdp, startCdpRig } from './cdp-rig.ts'

let rig: CdpRig
beforeAll(async () => {
  rig = await startCdpRig()
})
afterAll(() => rig.stop())
// A test that failed half-way must not keep the next ones out.
afterEach(async () => {
  for (const { id } of await clients()) await rig.agent.client.call('cdp.cut', { id }).catch(() => {})
})

const clients = async () => (await rig.agent.client.call('cdp.clients')).clients
const gone = () => expect.poll(clients).toEqual([])
const take = () => rig.agent.client.call('takeover.take', { operator: 'Ann', ttlMs: 60_000 })
const ticketFor = async (scope: string) => (await rig.agent.client.call('tickets.create', { scope })).ticket

/** What a real suite does, a few dozen steps of it. */
async function suite(browser: Browser): Promise<void> {
  const context = browser.contexts()[0] ?? (await browser.newContext())
  const page = await context.newPage()
  await page.goto(rig.site)
  expect(await page.title()).toBe('Shop')
  expect(await page.locator('li').count()).toBe(20)
  await page.getByRole('link', { name: 'Form' }).click()
  await page.waitForURL('**/form')
  await page.getByLabel('Name').fill('Ann Ütz')
  expect(await page.getByLabel('Name').inputValue()).toBe('Ann Ütz')
  await page.locator('select').selectOption('M')
  await page.locator('input[type=checkbox]').check()
  await page.locator('textarea').pressSequentially('hello')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('bye')
  const file = { name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.alloc(3_000_000, 'x') }
  await page.locator('input[type=file]').setInputFiles(file)
  expect(await page.evaluate("document.querySelector('input[type=file]').files[0].size")).toBe(3_000_000)
  await page.locator('#late').click()
  await page.route('**/done*', (route) => route.continue())
  await page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => page.locator('#done').textContent()).toBe('Thank you')
  expect(page.url()).toContain('size=M')
  expect((await page.screenshot()).length).toBeGreaterThan(1000)
  expect((await page.evaluate('"y".repeat(6_000_000)')) as string).toHaveLength(6_000_000)
  await page.goBack()
  await page.reload()
  const [popup] = await Promise.all([context.waitForEvent('page'), page.evaluate(`void window.open('${rig.site}')`)])
  await popup.waitForLoadState()
  expect(await popup.title()).toBe('Shop')
  await popup.close()
  expect((await context.cookies()).some((cookie) => cookie.value === 'canary-cookie')).toBe(true)
  await page.close()
}

describe('clients that people use', () => {
  test('Playwright over http, with the secret in a header', async () => {
    const browser = await chromium.connectOverCDP(rig.relay, { headers: rig.headers })
    await suite(browser)
    expect(await clients()).toMatchObject([{ role: 'controller', targetId: null, refused: 0 }])
    await browser.close()
    await gone()
  })

  test('Playwright with a ticket, once', async () => {
    const ticket = await ticketFor('/v1/browser/cdp')
    const url = `${rig.relay.replace('http', 'ws')}?token=${ticket}&name=worker-1`
    const browser = await chromium.connectOverCDP(url)
    await suite(browser)
    expect((await clients())[0]?.name).toBe('worker-1')
    await browser.close()
    await gone()
    await expect(chromium.connectOverCDP(url)).rejects.toThrow(/401/)
  })

  test.each(['a header', 'a ticket'])('Puppeteer with %s', async (by) => {
    const relay = rig.relay.replace('http', 'ws')
    const browser = await puppeteer.connect(
      by === 'a header'
        ? { browserWSEndpoint: relay, headers: rig.headers, defaultViewport: null }
        : { browserWSEndpoint: `${relay}?token=${await ticketFor('/v1/browser/cdp')}`, defaultViewport: null },
    )
    const page = await browser.newPage()
    await page.goto(`${rig.site}/form`)
    await page.type('input[name=name]', 'Bo')
    expect(await page.$eval('input[name=name]', (input) => (input as { value: string }).value)).toBe('Bo')
    await page.click('form button')
    await page.waitForSelector('#done')
    await page.close()
    await browser.disconnect()
    await gone()
  })
})

test('a client that leaves and comes again at once finds its place free', async () => {
  const browserWSEndpoint = rig.relay.replace('http', 'ws')
  for (let round = 0; round < 20; round++) {
    const browser = await puppeteer.connect({ browserWSEndpoint, headers: rig.headers, defaultViewport: null })
    expect(await browser.version()).toContain('Chrome')
    await browser.disconnect()
  }
  await gone()
})

describe('addresses', () => {
  test('lead through the agent', async () => {
    const ask = async (path: string) =>
      (await fetch(`${rig.relay}${path}`, { headers: rig.headers })).json() as Promise<Record<string, string>>
    for (const path of ['/json/version', '/json/version/']) {
      const version = await ask(path)
      expect(version['webSocketDebuggerUrl']).toBe(rig.relay.replace('http', 'ws'))
      expect(version['Browser']).toMatch(/Chrom/)
    }
    const targets = (await ask('/json/list')) as unknown as Record<string, string>[]
    const page = targets.find((target) => target['type'] === 'page')
    expect(JSON.stringify(targets)).not.toContain('devtoolsFrontendUrl')
    const at = page?.['webSocketDebuggerUrl'] ?? ''
    expect(at).toBe(`${rig.relay.replace('http', 'ws')}/devtools/page/${page?.['id']}`)

    const path = new URL(at).pathname
    const client = await RawCdp.open(rig, `/devtools/page/${page?.['id']}?token=${await ticketFor(path)}`, {})
    expect((await client.send('Runtime.evaluate', { expression: '1 + 1' })).result).toMatchObject({
      result: { value: 2 },
    })
    client.close()
    await gone()
    await expect(RawCdp.open(rig, '/devtools/page/NOPE')).rejects.toMatchObject({ status: 404 })
    await expect(RawCdp.open(rig, '/devtools/page/..%2Fbrowser')).rejects.toMatchObject({ status: 400 })
    await gone()
  })

  test('the status names the relay, not Chromium’s own port', async () => {
    expect((await rig.agent.client.call('browser.status')).cdpUrl).toMatch(/^ws:\/\/[^/]+\/v1\/browser\/cdp$/)
  })
})

describe('one controller', () => {
  test('a second is told who the first is; it can be asked to leave, or be cut', async () => {
    const first = await RawCdp.open(rig, '?name=worker-1')
    const refused = RawCdp.open(rig, '?name=worker-2')
    await expect(refused).rejects.toMatchObject({ status: 409 })
    await expect(refused).rejects.toThrow(/"controller-busy".*|worker-1/)
    const observer = await RawCdp.open(rig, '?role=observer')
    expect((await clients()).map(({ role }) => role)).toEqual(['controller', 'observer'])

    const id = (await clients())[0]?.id ?? ''
    await rig.agent.client.call('cdp.cut', { id, graceMs: 60_000 })
    await expect.poll(() => first.events.map((event) => event.method)).toContain('Inspector.detached')
    expect(first.socket.readyState).toBe(1)
    await rig.agent.client.call('cdp.cut', { id })
    expect(await first.closed).toEqual({ code: 1001, reason: 'Tester asked this client to leave' })
    const second = await RawCdp.open(rig, '?name=worker-2')
    await expect(rig.agent.client.call('cdp.cut', { id })).rejects.toMatchObject({ code: 'not-found' })
    second.close()
    observer.close()
    await gone()
    const { entries } = await rig.agent.client.call('audit.list', { action: 'cdp_attach' })
    expect(entries.map((entry) => entry.result)).toContain('failure')
    expect(JSON.stringify(entries)).toContain('worker-1')
  })

  test('of many at the same moment exactly one gets in', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => RawCdp.open(rig)))
    const open = tries.filter((one) => one.status === 'fulfilled')
    expect(open).toHaveLength(1)
    for (const one of open) one.value.close()
    await gone()
  })
})

describe('an observer', () => {
  test('sees the page and cannot touch it, nor read cookies', async () => {
    const controller = await RawCdp.open(rig)
    const act = await controller.page()
    const observer = await RawCdp.open(rig, '?role=observer')
    const look = await observer.page()
    await look('Page.enable')
    await look('Runtime.enable')
    await look('Network.enable')
    for (const [method, params] of [
      ['Runtime.evaluate', { expression: 'document.title = "hacked"' }],
      ['Page.navigate', { url: 'about:blank' }],
      ['Network.getCookies', {}],
      ['Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/tmp' }],
    ] as const) {
      expect((await look(method, params)).error).toMatchObject({ code: -32000 })
    }
    for (const method of ['Browser.setDownloadBehavior', 'Storage.getCookies', 'Target.createTarget', 'Browser.close'])
      expect((await observer.send(method)).error?.message).toContain('not for observers')
    observer.socket.send('not json')
    await expect.poll(() => observer.events.some((event) => event.error?.code === -32700)).toBe(true)

    await act('Page.navigate', { url: `${rig.site}/count` })
    await expect.poll(() => observer.events.map((event) => event.method)).toContain('Network.responseReceived')
    await expect.poll(() => observer.events.map((event) => event.method)).toContain('Page.frameNavigated')
    expect((await look('DOM.getDocument')).result).toHaveProperty('root')
    expect(String((await look('Page.captureScreenshot')).result?.['data']).length).toBeGreaterThan(1000)
    expect(JSON.stringify(observer.events)).not.toContain('canary-cookie')
    expect((await clients())[1]).toMatchObject({ role: 'observer', refused: 9 })
    observer.socket.send(Buffer.from([1, 2, 3]))
    expect(await observer.closed).toMatchObject({ code: 1003 })
    controller.close()
    await gone()
  })

  test('opens what a page logged, marks its elements and reads its answers, and none of the page’s code runs', async () => {
    const controller = await RawCdp.open(rig)
    const act = await controller.page()
    const observer = await RawCdp.open(rig, '?role=observer')
    const look = await observer.page()
    for (const domain of ['Runtime', 'Network', 'DOM', 'Overlay', 'Page']) await look(`${domain}.enable`)
    await act('Page.navigate', { url: rig.site })
    const heard = (method: string) => observer.events.filter((event) => event.method === method)
    await until('the page to be loaded', () => heard('Page.loadEventFired').length > 0)
    const trap = `globalThis.ran = []
      const note = (name) => { ran.push(name) }
      const handler = new Proxy({}, { get: (_, name) => (...all) => (note(name), Reflect[name](...all)) })
      console.log({ plain: 1, get own() { note('getter') }, proxy: new Proxy({ inside: 2 }, handler), node: document.body,
        __proto__: { get inherited() { note('inherited') } } }, document)
      ran.length`
    // Printing alone may run something; what counts is what reading adds.
    const before = (await act('Runtime.evaluate', { expression: trap })).result?.['result']
    await until('the message', () => heard('Runtime.consoleAPICalled').length > 0)
    const read: unknown[] = []
    const open = async (objectId: unknown, depth: number) => {
      const reply = await look('Runtime.getProperties', { objectId, ownProperties: true, generatePreview: true })
      read.push(reply.result)
      const found = [reply.result?.['result'], reply.result?.['internalProperties']].flat() as Property[]
      if (depth === 0) return
      for (const property of found.slice(0, 30))
        if (property?.value?.objectId !== undefined) await open(property.value.objectId, depth - 1)
    }
    const args = heard('Runtime.consoleAPICalled')[0]?.params?.['args'] as { objectId: string }[]
    for (const { objectId } of args) await open(objectId, 2)
    expect(JSON.stringify(read)).toContain('"inside"')
    expect((await act('Runtime.evaluate', { expression: 'ran.length' })).result?.['result']).toEqual(before)

    const html = 'document.documentElement.outerHTML'
    const markup = (await act('Runtime.evaluate', { expression: html })).result
    const { result } = await look('DOM.getDocument')
    const root = result?.['root'] as { nodeId: number } | undefined
    const marked = { nodeId: root?.nodeId, highlightConfig: { contentColor: { r: 255, g: 0, b: 0, a: 1 } } }
    expect((await look('Overlay.highlightNode', marked)).error).toBeUndefined()
    expect((await act('Runtime.evaluate', { expression: html })).result).toEqual(markup)

    const requestId = heard('Network.responseReceived')[0]?.params?.['requestId']
    const body = await look('Network.getResponseBody', { requestId })
    expect(body.result?.['body']).toContain('<h1>Shop</h1>')
    expect(JSON.stringify([body, read, observer.events])).not.toContain('canary-cookie')

    // More than a console can take, and told again at every connection: it is said that it was left out.
    await act('Runtime.evaluate', { expression: 'console.log("x".repeat(20_000_000)); console.log("after")' })
    const left = () => heard('Pilothouse.leftOut')[0]?.params
    await until('it to be left out', () => left() !== undefined)
    expect(left()).toMatchObject({ method: 'Runtime.consoleAPICalled' })
    await until('what follows', () => JSON.stringify(heard('Runtime.consoleAPICalled').at(-1)).includes('"after"'))
    observer.close()
    controller.close()
    await gone()
  })
})

interface Property {
  value?: { objectId?: string }
}

describe('while a person has the lease', () => {
  test('a controller that keeps clicking reaches the page not once, through twenty takeovers', async () => {
    const controller = await RawCdp.open(rig, '?name=engine')
    const act = await controller.page()
    await act('Page.navigate', { url: `${rig.site}/count` })
    const session = await RawCdp.open(rig, '?role=observer')
    let clicking = true
    let refused = 0
    // Sixteen at a time, as a client that does not wait for answers would.
    const clicker = async () => {
      while (clicking) {
        const { error } = await act('Input.dispatchMouseEvent', { type: 'mouseMoved', x: Math.random() * 99, y: 9 })
        if (error === undefined) continue
        refused++
        expect(error.message).toContain('Ann has control')
        await sleep(1)
      }
    }
    const clickers = Array.from({ length: 16 }, clicker)
    const counter = await directCounter()
    await until('the page to count', counter.seen)
    for (let round = 0; round < 20; round++) {
      const before = await counter.seen()
      await expect.poll(() => counter.seen(), { timeout: 10_000 }).toBeGreaterThan(before)
      const lease = await take()
      const atTake = await counter.seen()
      const refusedBefore = refused
      await expect.poll(() => refused).toBeGreaterThan(refusedBefore + 50)
      expect((await act('Runtime.evaluate', { expression: 'seen++' })).error?.message).toContain('Ann')
      expect((await act('DOM.getDocument')).error).toBeUndefined()
      expect(await counter.seen()).toBe(atTake)
      await rig.agent.client.call('takeover.handBack', { leaseId: lease.leaseId })
    }
    const after = await counter.seen()
    await expect.poll(() => counter.seen()).toBeGreaterThan(after)
    clicking = false
    await Promise.all(clickers)
    counter.close()
    controller.close()
    session.close()
    await gone()
  })

  test('Playwright is told so, and goes on after the hand-back', async () => {
    const browser = await chromium.connectOverCDP(rig.relay, { headers: rig.headers })
    const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage()
    await page.goto(`${rig.site}/form`)
    const lease = await take()
    // Playwright has an error of its own for every script that fails.
    await expect(page.evaluate('1')).rejects.toThrow()
    await expect(page.goto(rig.site)).rejects.toThrow(/Ann has control/)
    await rig.agent.client.call('takeover.handBack', { leaseId: lease.leaseId })
    await page.getByLabel('Name').fill('back')
    expect(await page.getByLabel('Name').inputValue()).toBe('back')
    await page.close()
    await browser.close()
    await gone()
  })

  test('requests that the controller had stopped go on as the page made them', async () => {
    const controller = await RawCdp.open(rig)
    const act = await controller.page()
    await act('Page.enable')
    await act('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    const lease = await take()
    const person = await directCounter()
    await person.evaluate(`void (location.href = '${rig.site}/')`)
    await expect.poll(() => controller.events.some((event) => event.method === 'Fetch.requestPaused')).toBe(true)
    const paused = controller.events.find((event) => event.method === 'Fetch.requestPaused')
    const answer = await act('Fetch.fulfillRequest', {
      requestId: paused?.params?.['requestId'],
      responseCode: 200,
      body: Buffer.from('<title>forged</title>').toString('base64'),
    })
    expect(answer.error).toBeUndefined()
    await expect.poll(() => person.evaluate('document.title')).toBe('Shop')
    person.close()
    await rig.agent.client.call('takeover.handBack', { leaseId: lease.leaseId })
    controller.close()
    await gone()
  })
})

test('whoever has the lease controls beside the controller that waits, and no longer than the lease lasts', async () => {
  const engine = await RawCdp.open(rig)
  const engineActs = await engine.page()
  await expect(RawCdp.open(rig, '?role=controller&leaseId=guessed')).rejects.toMatchObject({ status: 409 })
  const { leaseId } = await take()
  const holder = await RawCdp.open(rig, `?role=controller&leaseId=${leaseId}`)
  const holderActs = await holder.page()
  const sum = { expression: '1 + 1' }
  expect((await holderActs('Runtime.evaluate', sum)).result).toMatchObject({ result: { value: 2 } })
  expect((await engineActs('Runtime.evaluate', sum)).error?.message).toContain('Ann')
  await rig.agent.client.call('takeover.handBack', { leaseId })
  expect(await holder.closed).toMatchObject({ reason: 'the lease ended' })
  expect((await engineActs('Runtime.evaluate', sum)).result).toMatchObject({ result: { value: 2 } })
  engine.close()
  await gone()
})

/** Straight to Chromium, past the relay: what the page itself has seen. */
async function directCounter() {
  const find = () => findPage(chromiumAddress(rig.agent.dataDir), (url) => url.startsWith(rig.site))
  const page = await until('the page', find)
  return {
    seen: () => page.evaluate<number>('window.seen'),
    evaluate: (expression: string) => page.evaluate(expression),
    close: () => page.close(),
  }
}
