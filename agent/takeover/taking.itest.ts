import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BrowserBench } from '../browser/browser-bench.ts'
import { type CdpRig, RawCdp, startCdpRig } from '../cdp/cdp-rig.ts'

describe('what others had begun when a person takes control', () => {
  let rig: CdpRig
  let server: http.Server
  let origin: string
  /** Answers that are not given before a test says so. */
  let heldBack: Promise<ServerResponse>
  let hold: (response: ServerResponse) => void
  let holding = false
  const clicked = Promise.withResolvers<void>()
  const loops = `const told = new XMLHttpRequest(); told.open('GET', '/clicked', false); told.send(); for (;;);`

  beforeAll(async () => {
    rig = await startCdpRig()
    server = http.createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      response.setHeader('cache-control', 'no-store')
      if (request.url === '/clicked') clicked.resolve()
      if (holding) hold(response)
      else response.end(`<title>${request.url}</title><button onclick="${loops}">Loop</button>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rig.stop()
  })

  const take = () => rig.agent.client.call('takeover.take', { operator: 'Ann' })
  const giveBack = ({ leaseId }: { leaseId: string }) => rig.agent.client.call('takeover.handBack', { leaseId })
  const shown = async () => (await rig.agent.client.call('tabs.list')).tabs.map(({ url }) => new URL(url).pathname)
  /** From here on the server keeps its answers to itself. */
  const holdBack = () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>()
    heldBack = promise
    hold = resolve
    holding = true
  }
  /** Resolves when the browser no longer wants the answer that is held back. */
  const givenUp = async () => {
    const response = await heldBack
    holding = false
    if (!response.destroyed) await new Promise((resolve) => response.once('close', resolve))
  }
  const go = (path: string) => rig.agent.client.call('browser.navigate', { url: origin + path })

  test('an address that a client of CDP has sent the page to is not gone to', async () => {
    await go('/here')
    const client = await RawCdp.open(rig)
    const act = await client.page()
    holdBack()
    const going = act('Page.navigate', { url: `${origin}/elsewhere` })
    await heldBack
    const lease = await take()
    expect((await going).result?.['errorText']).toBe('net::ERR_ABORTED')
    await givenUp()
    expect(await shown()).toEqual(['/here'])
    await giveBack(lease)

    holdBack()
    expect((await act('Page.reload')).error).toBeUndefined()
    await heldBack
    const again = await take()
    await givenUp()
    await giveBack(again)
    client.close()
    await client.closed
  })

  test('nor does a call of somebody else take the page back, or load it anew', async () => {
    await go('/first')
    await go('/second')
    for (const call of ['browser.back', 'browser.reload'] as const) {
      holdBack()
      const moving = rig.agent.client.call(call, {}, { timeoutMs: 30_000 })
      const refused = expect(moving).rejects.toMatchObject({ code: 'held-by-operator' })
      await heldBack
      const lease = await take()
      await refused
      await givenUp()
      expect(await shown()).toEqual(['/second'])
      await giveBack(lease)
    }
  })

  test('a click that the page never answers keeps nobody out, and is told who came', async () => {
    await go('/loop')
    const clicking = rig.agent.client.call(
      'browser.click',
      { selector: 'button', timeout: 30_000 },
      { timeoutMs: 40_000 },
    )
    const refused = expect(clicking).rejects.toMatchObject({ code: 'held-by-operator' })
    await clicked.promise
    const lease = await take()
    await refused
    await giveBack(lease)
  })
})

describe('a dialog', () => {
  const bench = BrowserBench.forEachTest()

  test('in front keeps nobody waiting for what the page was asked before', async () => {
    await bench.start({ headless: true, url: 'about:blank' })
    const { pages } = bench.parts.browser.requireSession()
    const over = new AbortController()
    let heard = false
    const waiting = pages.untilDialog(over.signal).then(() => {
      heard = true
    })
    const { cdp } = pages.requireFront()
    await cdp.send('Runtime.evaluate', { expression: '1' })
    expect(heard).toBe(false)
    void cdp.send('Runtime.evaluate', { expression: 'alert(1)' }).catch(() => {})
    await waiting
    await pages.untilDialog(over.signal)
    await cdp.send('Page.handleJavaScriptDialog', { accept: true })
    over.abort()
  })
})
