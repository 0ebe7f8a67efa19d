import { afterEach, describe, expect, test } from 'vitest'
import { exact } from '../../e2e/rigs/pages.ts'
import { watch } from '../../shared/contract/browser.ts'
import type { SocketReceive } from '../../shared/contract/index.ts'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()
const { open } = bench
const api = () => bench.api.browser
type Message = SocketReceive<'watch'>
afterEach(() => bench.reset())

describe('console', () => {
  test('every level, objects, uncaught errors, workers, over navigations and tabs', async () => {
    await open('/console')
    await expect
      .poll(async () => (await api().console()).messages.map((message) => [message.level, message.text]))
      .toEqual(
        expect.arrayContaining([
          ['log', 'plain 1 {a: 1} [1, 2]'],
          ['warn', 'careful'],
          ['error', 'bad'],
          ['info', 'info'],
          ['debug', 'debug'],
          ['log', 'from a worker'],
          ['error', expect.stringContaining('nobody caught this')],
        ]),
      )
    await bench.api.tabs.open({ url: `${bench.pages.origin}/article` })
    await bench.evaluate('console.warn("in another tab"), 0')
    const warnings = (await api().console({ level: 'warn' })).messages
    expect(warnings.map((message) => message.text)).toEqual(['careful', 'in another tab'])
    expect(warnings[0]).toMatchObject({ url: `${bench.pages.origin}/console`, line: expect.any(Number) })
    expect(new Date(warnings[0]?.timestamp ?? '').getFullYear()).toBeGreaterThan(2020)
    expect((await api().console({ limit: 1 })).messages.map((message) => message.text)).toEqual(['in another tab'])
  })

  test('what a worker says is said once, in its own words', async () => {
    await open('/')
    await bench.evaluate(`(() => {
      const code = 'console.log("worked out", { by: "a worker" }); setTimeout(() => { throw new Error("worker broke") })'
      new Worker(URL.createObjectURL(new Blob([code])))
    })()`)
    const said = async () =>
      (await api().console({ limit: 1000 })).messages.filter(({ text }) => /worked out|worker broke/.test(text))
    await expect.poll(async () => (await said()).length).toBeGreaterThan(1)
    // All that came before this has been told.
    await bench.evaluate('console.log("after it"), 0')
    await expect.poll(async () => (await api().console({ limit: 1 })).messages[0]?.text).toBe('after it')
    expect((await said()).map(({ level, text }) => [level, text.split('\n')[0]])).toEqual([
      ['log', 'worked out {by: a worker}'],
      ['error', 'Uncaught Error: worker broke'],
    ])
  })

  test('what a message says is what a console would show', async () => {
    await open('/shares-worker')
    await expect.poll(async () => (await api().console()).messages.at(-1)?.text).toBe('from a service worker')
    await bench.evaluate(`console.log('%s is %d%% %c!', 'it', 5.7, 'color: red', 1)
      console.log(new Date(0), /r/, new Map([[1, 2]]), document.body)`)
    const texts = (await api().console()).messages.map((message) => message.text)
    expect(texts.filter((text) => text === 'from a service worker')).toHaveLength(1)
    expect(texts).toContain('it is 5% ! 1')
    expect(texts.at(-1)).toMatch(/^Thu Jan 01 1970 .* \/r\/ Map\(1\) body$/)
  })

  test('a thousand are kept', async () => {
    await open('/')
    await bench.evaluate('for (let i = 0; i < 1500; i++) console.log("n" + i)')
    await expect.poll(async () => (await api().console({ limit: 1 })).messages[0]?.text).toBe('n1499')
    const { messages } = await api().console({ limit: 1000 })
    expect([messages.length, messages[0]?.text]).toEqual([1000, 'n500'])
  })
})

describe('network', () => {
  test('each request with its size and time on the wire', async () => {
    await open('/assets')
    const [script] = (await api().network({ urlPattern: '/asset\\.js$' })).requests
    expect(script).toMatchObject({ method: 'GET', status: 200, mimeType: 'text/javascript', failed: null })
    // Compressed, with its headers: what came over the wire, not what the page got.
    expect(script?.responseSize).toBeGreaterThan(100)
    expect(script?.responseSize).toBeLessThan(1500)
    const seen = (await bench.evaluate(
      '(() => { const e = performance.getEntriesByName(location.origin + "/asset.js")[0]; return [e.encodedBodySize, e.duration] })()',
    )) as [number, number]
    expect(script?.responseSize).toBeGreaterThan(seen[0])
    expect(script?.duration).toBeLessThanOrEqual(seen[1] + 5)
    expect((await api().network({ urlPattern: '/missing$' })).requests.at(-1)).toMatchObject({ status: 404 })
  })

  test('sizes and times are those that Chromium’s own DevTools show', async () => {
    await open('/')
    const load = (path: string) =>
      bench.evaluate(`new Promise((done, failed) => { const s = document.createElement('script'); s.src = '${path}'
        s.onload = () => { const e = performance.getEntriesByName(s.src).at(-1)
          done([e.responseEnd - e.requestStart, e.responseEnd - e.startTime]) }
        s.onerror = failed; document.head.append(s) })`) as Promise<[number, number]>
    const last = async (path: string) => (await api().network({ urlPattern: `${path}$` })).requests.at(-1)
    const [least, most] = await load(exact.path)
    const request = await last(exact.path)
    // Headers and body, byte for byte.
    expect(request?.responseSize).toBe(exact.answer.length)
    // From where the request left its queue: within what the page saw of it. The page's clock is a little coarse.
    expect(request?.duration).toBeGreaterThanOrEqual(least - 0.5)
    expect(request?.duration).toBeLessThanOrEqual(most + 0.5)
    await load('/kept.js')
    expect((await last('/kept.js'))?.responseSize).toBeGreaterThan(0)
    await open('/article')
    await load('/kept.js')
    expect(await last('/kept.js')).toMatchObject({ status: 200, responseSize: 0 })
  })

  test('an answer that has no body is whole, whether the page reads that or not', async () => {
    await open('/')
    await bench.evaluate("Promise.all([fetch('/nothing'), fetch('/article', { method: 'HEAD' })]).then(() => {})")
    const ended = async () => {
      const { requests } = await api().network()
      return requests.filter(
        ({ url, method, duration }) => duration !== null && (/nothing/.test(url) || method === 'HEAD'),
      )
    }
    await expect.poll(async () => (await ended()).length).toBe(2)
    expect(await ended()).toMatchObject([
      { status: expect.any(Number), failed: null, responseSize: expect.any(Number) },
      { status: expect.any(Number), failed: null, responseSize: expect.any(Number) },
    ])
  })

  test('what is still good in the cache, and what was broken off', async () => {
    await open('/')
    await bench.evaluate(`(async () => {
      for (let count = 0; count < 2; count++) await (await fetch('/tagged')).text()
      const abort = new AbortController()
      const { body } = await fetch('/drip', { signal: abort.signal })
      await body.getReader().read()
      abort.abort()
    })()`)
    const of = async (path: string) => (await api().network({ urlPattern: `${path}$` })).requests
    await expect.poll(async () => (await of('/drip')).at(-1)?.failed).toBe('net::ERR_ABORTED')
    expect((await of('/tagged')).map(({ status }) => status)).toEqual([200, 304])
    expect((await of('/tagged')).at(-1)?.responseSize).toBeGreaterThan(0)
    expect((await of('/tagged')).at(-1)?.responseSize).toBeLessThan(300)
    // The headers, and what Chromium had told of the body by then.
    expect((await of('/drip')).at(-1)).toMatchObject({ status: 200, responseSize: expect.any(Number) })
  })

  test('time is what the server took', async () => {
    await open('/')
    await bench.evaluate('fetch("/slow?ms=300", { method: "POST" }).then((r) => r.text())')
    const request = async () => (await api().network({ urlPattern: '/slow' })).requests.at(-1)
    await expect.poll(async () => (await request())?.duration).toBeGreaterThanOrEqual(299)
    expect(await request()).toMatchObject({ method: 'POST', status: 200 })
  })

  test('each hop of a redirect, and why one failed', async () => {
    await open('/moved')
    const statuses = (await api().network({ urlPattern: '/(moved|moved-again|article)$' })).requests.slice(-3)
    expect(statuses.map((request) => request.status)).toEqual([301, 302, 200])
    await api()
      .navigate({ url: `${bench.pages.origin}/cut` })
      .catch(() => {})
    expect((await api().network({ urlPattern: '/cut$' })).requests.at(-1)).toMatchObject({
      status: null,
      failed: 'net::ERR_EMPTY_RESPONSE',
    })
  })

  test('of a frame in another process', async () => {
    await open('/frames')
    const request = async () => (await api().network({ urlPattern: 'localhost:\\d+/inner' })).requests.at(-1)
    await expect.poll(async () => (await request())?.responseSize).toBeGreaterThan(100)
    expect(await request()).toMatchObject({ status: 200, mimeType: 'text/html' })
  })

  test('what a page leaves under way ends with it', async () => {
    await open('/')
    await bench.evaluate(`(() => {
      fetch('/never?left').catch(() => {})
      new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/never?by-worker').catch(() => {})"])))
    })()`)
    const left = async () => (await api().network({ urlPattern: '/never' })).requests.slice(-2)
    await expect.poll(async () => (await left()).map(({ url }) => url.split('?')[1])).toEqual(['left', 'by-worker'])
    expect(await left()).toMatchObject([
      { duration: null, failed: null, resourceType: 'Fetch' },
      { duration: null, failed: null, resourceType: 'Fetch' },
    ])
    await open('/article')
    await expect.poll(left).toMatchObject([
      { duration: expect.any(Number), failed: 'net::ERR_ABORTED' },
      { duration: expect.any(Number), failed: 'net::ERR_ABORTED' },
    ])
  })

  test('a socket that was refused says why, also where nobody was asked', async () => {
    await open('/')
    await bench.evaluate(
      `(() => { new WebSocket(location.origin.replace('http', 'ws') + '/article'); new WebSocket('ws://127.0.0.1:1/') })()`,
    )
    const sockets = async () =>
      (await api().network()).requests.filter(({ url, duration }) => url.startsWith('ws:') && duration !== null)
    await expect.poll(async () => (await sockets()).length).toBe(2)
    expect((await sockets()).map(({ failed }) => failed).sort()).toEqual([
      expect.stringContaining('handshake'),
      expect.stringContaining('ERR_UNSAFE_PORT'),
    ])
  })

  test('a pattern that cannot be used', async () => {
    for (const urlPattern of ['(', '(?=x)', '(a)\\1'])
      await expect(api().network({ urlPattern })).rejects.toMatchObject({ code: 'invalid-pattern', status: 400 })
    expect((await api().network({ urlPattern: '(a+)+$', limit: 1 })).requests.length).toBeLessThan(2)
  })
})

describe('watch', () => {
  async function watchPages(params: object = {}): Promise<{ messages: Message[]; close: () => void }> {
    const socket = await bench.rig.client.open('watch', params)
    const messages: Message[] = []
    socket.onMessage = (message) => messages.push(message)
    return { messages, close: () => socket.close() }
  }
  const has = (messages: Message[], wanted: object) =>
    expect.poll(() => messages, { timeout: 5000 }).toContainEqual(expect.objectContaining(wanted))

  test('everything as it happens, in the words of the contract', async () => {
    const { messages, close } = await watchPages()
    await open('/dialogs')
    await bench.evaluate('console.log("seen live"), 0')
    await api().click({ selector: '#alert' })
    await has(messages, { type: 'dialog', dialog: expect.objectContaining({ type: 'alert', message: 'Look out' }) })
    await api().dialog({ accept: true })
    await has(messages, { type: 'dialog', dialog: null })
    await has(messages, { type: 'console', text: 'seen live' })
    await has(messages, { type: 'network', url: `${bench.pages.origin}/dialogs`, status: 200 })
    await has(messages, { type: 'navigation', url: `${bench.pages.origin}/dialogs`, active: true })
    await api().navigate({ url: `${bench.pages.origin}/file` })
    await has(messages, { type: 'download', filename: 'report.bin', state: 'started' })
    await has(messages, { type: 'download', filename: 'report.bin', state: 'completed', receivedBytes: 2000 })
    await bench.crash()
    await has(messages, { type: 'crash', url: `${bench.pages.origin}/dialogs` })
    for (const message of messages) expect(watch.receive.safeParse(message).success).toBe(true)
    close()
  })

  test('nothing of it when not asked for', async () => {
    const { messages, close } = await watchPages({ events: false })
    const other = await watchPages()
    await open('/console')
    await has(other.messages, { type: 'console', text: 'bad' })
    expect(messages.filter((message) => !['page', 'control'].includes(message.type))).toEqual([])
    close()
    other.close()
  })

  test('every console hears where the page is, once for each place', async () => {
    const socket = await bench.rig.client.open('events')
    const places: unknown[] = []
    socket.onMessage = (event) => {
      if (event.type === 'page_navigated') places.push((event as { url?: unknown }).url)
    }
    await open('/article')
    await expect.poll(() => places).toContain(`${bench.pages.origin}/article`)
    const before = places.length
    await bench.evaluate('for (let i = 0; i < 150; i++) history.replaceState(0, "", "/article?" + i)')
    await expect.poll(() => places.at(-1)).toBe(`${bench.pages.origin}/article?149`)
    expect(places.length - before).toBeLessThan(50)
    socket.close()
  })
})

describe('crawl', () => {
  const crawl = async (params: object = {}) => {
    const found = await api().crawl({ url: `${bench.pages.origin}/site/`, ...params })
    return { ...found, paths: found.pages.map((page) => [new URL(page.url).pathname, page.depth]) }
  }

  test('breadth first, no page twice, within its domain, past pages that fail', async () => {
    await open('/article')
    const before = await bench.api.tabs.list()
    const { paths, pages, truncated, totalPages } = await crawl()
    expect(paths).toEqual([
      ['/site/', 0],
      ['/site/a', 1],
      ['/site/b', 1],
      ['/site/c', 2],
      ['/site/gone', 2],
      ['/file', 2],
    ])
    expect([truncated, totalPages]).toEqual([false, 6])
    expect(pages[1]).toMatchObject({ title: 'A', status: 200, content: expect.stringContaining('Page A'), error: null })
    expect(pages[4]).toMatchObject({ status: null, content: '', error: expect.stringContaining('ERR_EMPTY_RESPONSE') })
    expect(pages[5]).toMatchObject({ error: expect.stringContaining('report.bin') })
    expect(await bench.api.tabs.list()).toEqual(before)
  })

  test('as much and as deep as asked', async () => {
    expect((await crawl({ maxPages: 2 })).truncated).toBe(true)
    expect((await crawl({ maxPages: 2 })).paths).toEqual([
      ['/site/', 0],
      ['/site/a', 1],
    ])
    const shallow = await crawl({ maxDepth: 1, extract: 'links' })
    expect(shallow.paths.map(([path]) => path)).toEqual(['/site/', '/site/a', '/site/b'])
    expect(shallow.truncated).toBe(false)
    expect(shallow.pages[0]?.content.split('\n')).toEqual(shallow.pages[0]?.links)
    const wide = await crawl({ maxDepth: 2, allowedDomains: ['127.0.0.1', 'localhost'], extract: 'text' })
    expect(wide.pages.map((page) => new URL(page.url).hostname)).toContain('localhost')
    expect((await crawl({ maxPages: 1, extract: 'html' })).pages[0]?.content).toMatch(/^<!DOCTYPE html>/)
  })

  test('a site that is at home under another name is crawled there, unless that is not allowed', async () => {
    const start = `${bench.pages.origin}/site/elsewhere`
    const { pages } = await crawl({ url: start, maxDepth: 1, extract: 'links' })
    const there = ['/site/', '/site/a', '/site/b'].map((path) => bench.pages.otherOrigin + path)
    expect(pages.map((page) => [page.url, page.error])).toEqual(there.map((address) => [address, null]))
    const refused = await crawl({ url: start, allowedDomains: ['127.0.0.1'] })
    expect(refused.pages).toMatchObject([
      { url: start, status: 200, content: '', error: expect.stringContaining('leads to localhost') },
    ])
  })

  test('ends in time on pages that never load, and is bounded in number', async () => {
    // Chromium asks for the same address once at a time.
    const slow = (name: string) => api().crawl({ url: `${bench.pages.origin}/never?${name}`, timeout: 2500 })
    const both = [slow('a'), slow('b')]
    const asked = () => bench.pages.asked.filter((path) => path === '/never').length
    await expect.poll(asked, { timeout: 2000 }).toBe(2)
    await expect(slow('c')).rejects.toMatchObject({ code: 'too-many-requests', status: 429 })
    for (const { pages } of await Promise.all(both))
      expect(pages).toMatchObject([{ status: null, error: expect.any(String) }])
  })
})
