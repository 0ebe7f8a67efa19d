import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../../e2e/rigs/until.ts'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()
const { open, evaluate } = bench
afterEach(() => bench.reset())
const url = (to: string) => bench.pages.origin + to
const go = (to: string, more: object = {}) => bench.api.browser.navigate({ url: url(to), ...more })

describe('navigate', () => {
  test('says where it arrived, what it is called and how the server answered', async () => {
    expect(await go('/article')).toEqual({ url: url('/article'), title: 'Article', status: 200, download: null })
    expect(await go('/missing')).toMatchObject({ title: 'Missing', status: 404 })
    expect(await go('/empty-500')).toMatchObject({ status: 500 })
    expect(await bench.api.browser.navigate({ url: 'about:blank' })).toMatchObject({ url: 'about:blank', status: null })
    expect(await bench.api.browser.navigate({ url: 'data:text/html,<title>D</title>' })).toMatchObject({ title: 'D' })
  })

  test('keeps a password of the address to itself', async () => {
    await bench.api.browser.navigate({ url: url('/article?login').replace('//', '//ann:canary-password@') })
    const [{ tabs }, { requests }, { url: shown }, { entries }] = await Promise.all([
      bench.api.tabs.list(),
      bench.api.browser.network(),
      bench.api.browser.status(),
      bench.api.timeline.list(),
    ])
    expect(shown).toBe(url('/article?login'))
    expect(requests.map((request) => request.url)).toContain(url('/article?login'))
    expect(JSON.stringify([tabs, requests, entries])).not.toContain('canary-password')
  })

  test('says what a site wants that asks for a password, and repeats none that was wrong', async () => {
    const asMember = (who: string) => bench.api.browser.navigate({ url: url('/members').replace('//', `//${who}@`) })
    const problem = await asMember('ann:canary-wrong').catch((error: unknown) => error)
    expect(problem).toMatchObject({
      code: 'cdp-error',
      message: expect.stringContaining('asks for a name and a password'),
    })
    expect((problem as Error).message).toContain(`${url('/members')} could not be loaded`)
    expect((problem as Error).message).not.toContain('canary-wrong')
    expect(await asMember('ann:canary-password')).toMatchObject({ title: 'Members', status: 200 })
  })

  test('says that another came in between', async () => {
    const first = go('/never')
    first.catch(() => {})
    await until('the first to be on its way', () => bench.pages.asked.includes('/never'))
    await go('/article')
    await expect(first).rejects.toMatchObject({
      code: 'cdp-error',
      message: expect.stringContaining('another navigation'),
    })
  })

  test('follows redirects of the server and of a script', async () => {
    expect(await go('/moved')).toMatchObject({ url: url('/article'), title: 'Article', status: 200 })
    await go('/script-moved')
    await expect.poll(async () => (await bench.api.browser.links()).url).toBe(url('/article'))
    await expect(go('/round')).rejects.toMatchObject({
      code: 'cdp-error',
      message: expect.stringContaining('round in circles'),
      extra: { reason: 'net::ERR_TOO_MANY_REDIRECTS' },
    })
  })

  test('within the page, and an answer without a page', async () => {
    await open('/tall')
    expect(await go('/tall#box')).toMatchObject({ url: url('/tall#box'), title: 'Tall' })
    expect(await go('/nothing')).toMatchObject({ url: url('/tall#box'), status: 204 })
  })

  test('an address that is a file says so, and the page stays', async () => {
    await open('/article')
    expect(await go('/file')).toMatchObject({
      url: url('/article'),
      download: { filename: 'report.bin', url: url('/file') },
    })
  })

  test('whatever a page calls its files, they stay in the folder for them', async () => {
    const { dataDir } = bench.rig
    const escaped = `escaped-${path.basename(path.dirname(dataDir))}`
    const names = [
      `../../../../../../tmp/${escaped}`,
      `/tmp/${escaped}`,
      '..',
      '.bashrc',
      `a/../../${escaped}`,
      `${'x'.repeat(3000)}.bin`,
    ]
    for (const name of names) {
      const { download } = await go(`/file?name=${encodeURIComponent(name)}`)
      expect(download?.filename).not.toMatch(/[/\\]|^\.\.$/)
    }
    const folder = path.join(dataDir, 'contexts', 'default', 'home', 'Downloads')
    const kept = await until('the files', () => {
      const found = fs.readdirSync(folder).filter((file) => !file.endsWith('.crdownload'))
      return found.length >= names.length && found
    })
    for (const file of kept) expect(fs.lstatSync(path.join(folder, file)).isFile()).toBe(true)
    expect(fs.existsSync(`/tmp/${escaped}`)).toBe(false)
    const everywhere = fs.readdirSync(path.dirname(dataDir), { recursive: true, encoding: 'utf8' })
    const outside = everywhere.filter((file) => file.includes(escaped) && !file.includes('home/Downloads/'))
    expect(outside).toEqual([])
  })

  test('waits as far as asked', async () => {
    // A picture of it never comes: it is never loaded, but it can be read.
    expect(await go('/unfinished', { waitUntil: 'domcontentloaded' })).toMatchObject({ title: 'Unfinished' })
    await expect(go('/unfinished', { timeout: 500 })).rejects.toMatchObject({ code: 'timeout' })
    await go('/busy', { waitUntil: 'networkidle' })
    expect(await evaluate('window.done')).toBe(true)
  })

  test('a page that never comes, or never ends, is a timeout, and the next one works', async () => {
    await expect(go('/never', { timeout: 500 })).rejects.toMatchObject({ code: 'timeout', status: 504 })
    await expect(go('/half', { timeout: 500 })).rejects.toMatchObject({ code: 'timeout' })
    expect(await go('/article')).toMatchObject({ title: 'Article' })
  })

  test('what cannot be loaded says why', async () => {
    const untrusted = bench.api.browser.navigate({ url: bench.pages.untrustedOrigin })
    await expect(untrusted).rejects.toMatchObject({
      code: 'cdp-error',
      status: 502,
      message: expect.stringContaining('certificate'),
      extra: { reason: 'net::ERR_CERT_AUTHORITY_INVALID' },
    })
    await expect(go('/cut')).rejects.toMatchObject({ code: 'cdp-error', extra: { reason: 'net::ERR_EMPTY_RESPONSE' } })
    expect(await go('/')).toMatchObject({ title: 'Home' })
  })

  test.each([
    ['/torn', 'net::ERR_CONTENT_LENGTH_MISMATCH'],
    ['/no-zip', 'net::ERR_CONTENT_DECODING_FAILED'],
  ])('a page that breaks off in the middle says so, and is not waited for: %s', async (broken, reason) => {
    const says = { code: 'cdp-error', message: expect.stringContaining('broke off'), extra: { reason } }
    await expect(go(broken)).rejects.toMatchObject(says)
    await expect(go(broken, { waitUntil: 'networkidle' })).rejects.toMatchObject(says)
    await expect(bench.api.browser.reload()).rejects.toMatchObject(says)
    expect(await bench.api.browser.links()).toMatchObject({ url: url(broken) })
  })

  test('a page that stops its own loading has arrived', async () => {
    const arrived = { url: url('/stopped'), title: 'Stopped', status: 200 }
    for (const waitUntil of ['load', 'domcontentloaded', 'networkidle'] as const)
      expect(await go('/stopped', { waitUntil })).toMatchObject(arrived)
    expect(await bench.api.browser.reload()).toMatchObject({ title: 'Stopped' })
    expect((await bench.api.browser.content()).html).not.toContain('never read')
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'chrome://settings', 'example.org', 'view-source:http://x'])(
    'does not open %s',
    async (address) => {
      await expect(bench.api.browser.navigate({ url: address })).rejects.toMatchObject({ code: 'invalid-url' })
      await expect(bench.api.tabs.open({ url: address })).rejects.toMatchObject({ code: 'invalid-url' })
      await expect(bench.api.browser.crawl({ url: address })).rejects.toMatchObject({ code: 'invalid-url' })
      const scrape = bench.api.browser.scrape({ url: address, selectors: { a: 'a' } })
      await expect(scrape).rejects.toMatchObject({ code: 'invalid-url' })
    },
  )

  test('leaves a page that asks to be stayed on', async () => {
    await open('/stays')
    // Chromium lets a page ask only once someone has used it.
    await bench.api.browser.click({ selector: '#b' })
    expect(await go('/article')).toMatchObject({ title: 'Article' })
    await open('/stays')
    await bench.api.browser.click({ selector: '#b' })
    expect(await bench.api.browser.reload()).toMatchObject({ title: 'Stays' })
    await bench.api.browser.click({ selector: '#b' })
    const { tabs } = await bench.api.tabs.list()
    await bench.api.tabs.open()
    expect(await bench.api.tabs.close({ id: tabs[0]?.id ?? '' })).toEqual({ ok: true })
  })

  test('leaves a page in an endless loop', async () => {
    await open('/loop')
    await bench.untilStuck()
    expect(await go('/article')).toMatchObject({ title: 'Article' })
  })

  test('a crash is said at once, and navigating or reloading recovers', async () => {
    await open('/article')
    const waiting = bench.api.browser.wait({ selector: '#never', timeout: 20_000 })
    const crashed = expect(waiting).rejects.toMatchObject({
      code: 'cdp-error',
      message: expect.stringContaining('crashed'),
    })
    await bench.crash()
    await crashed
    await expect(bench.api.browser.content()).rejects.toMatchObject({ code: 'cdp-error' })
    expect(await go('/article')).toMatchObject({ title: 'Article' })
    expect(await evaluate('1 + 1')).toBe(2)
    await bench.crash()
    await expect.poll(() => bench.api.browser.content().catch((error) => error.code)).toBe('cdp-error')
    expect(await bench.api.browser.reload()).toMatchObject({ title: 'Article' })
  })
})

describe('history', () => {
  test('back, forward, reload', async () => {
    await open('/')
    await open('/article')
    await open('/article#x')
    expect(await bench.api.browser.back()).toEqual({ url: url('/article'), title: 'Article' })
    expect(await bench.api.browser.back()).toEqual({ url: url('/'), title: 'Home' })
    expect(await bench.api.browser.forward()).toEqual({ url: url('/article'), title: 'Article' })
    await evaluate('window.mark = 1')
    expect(await bench.api.browser.reload({ ignoreCache: true })).toMatchObject({ title: 'Article' })
    expect(await evaluate('window.mark')).toBeNull()
  })

  test('where there is nothing', async () => {
    await expect(bench.api.browser.forward()).rejects.toMatchObject({ code: 'conflict' })
    await expect(bench.api.browser.back()).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('wait', () => {
  test('for an element to be there, seen or gone', async () => {
    await open('/late')
    expect(await bench.api.browser.wait({ selector: '#late' })).toEqual({ found: true })
    await open('/going')
    expect(await bench.api.browser.wait({ selector: '#going', state: 'hidden' })).toEqual({ found: true })
    await open('/hidden')
    expect(await bench.api.browser.wait({ selector: '#no', state: 'attached' })).toEqual({ found: true })
    expect(await bench.api.browser.wait({ selector: '#no', timeout: 200 })).toEqual({ found: false })
    expect(await bench.api.browser.wait({ selector: '#no', state: 'hidden' })).toEqual({ found: true })
    const bad = bench.api.browser.wait({ selector: 'a[' })
    await expect(bad).rejects.toMatchObject({ code: 'invalid-selector', status: 400 })
  })

  test('whoever leaves meanwhile ends their own call, and nothing else', async () => {
    await open('/article')
    const leave = new AbortController()
    const waits = Array.from({ length: 5 }, () =>
      bench.rig.client.call('browser.wait', { selector: '#no', timeout: 60_000 }, { signal: leave.signal }),
    )
    setTimeout(() => leave.abort(), 200)
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'cancelled' })
    expect(await bench.api.browser.wait({ selector: 'h1' })).toEqual({ found: true })
    expect(bench.rig.logged.join('\n')).not.toContain('could not be answered')
  })
})

describe('a client that goes away', () => {
  test('ends what it asked for, and nothing else', async () => {
    await open('/article')
    for (const idempotencyKey of [undefined, 'left']) {
      const abort = new AbortController()
      const options = { signal: abort.signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
      const before = bench.rig.logged.length
      const asked = bench.pages.asked.length
      const going = bench.api.browser.navigate({ url: url('/never') }, options)
      await expect.poll(() => bench.pages.asked.slice(asked)).toContain('/never')
      abort.abort()
      await expect(going).rejects.toMatchObject({ code: 'cancelled' })
      // The page is let go of at once: the next call does not wait for the one that nobody waits for.
      expect(await go('/article')).toMatchObject({ title: 'Article' })
      expect(bench.rig.logged.slice(before).filter((line) => line.startsWith('error'))).toEqual([])
    }
    const again = bench.api.browser.navigate({ url: url('/never') }, { idempotencyKey: 'left' })
    await expect(again).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('went away') })
  })
})

describe('tabs', () => {
  test('open, list, bring to the front, close', async () => {
    const first = (await bench.api.tabs.list()).tabs[0]
    const second = await bench.api.tabs.open({ url: url('/article') })
    expect(second).toMatchObject({ url: url('/article'), title: 'Article' })
    expect((await bench.api.tabs.list()).tabs.map((tab) => [tab.id, tab.active])).toEqual([
      [first?.id, false],
      [second.id, true],
    ])
    await bench.api.tabs.activate({ id: first?.id ?? '' })
    expect((await bench.api.tabs.list()).tabs.find((tab) => tab.active)?.id).toBe(first?.id)
    expect((await bench.api.browser.links()).url).toBe('about:blank')
    await bench.api.tabs.activate({ id: second.id })
    await bench.api.tabs.close({ id: second.id })
    expect((await bench.api.tabs.list()).tabs).toEqual([{ ...first, active: true }])
    for (const verb of ['activate', 'close'] as const)
      await expect(bench.api.tabs[verb]({ id: 'nothing' })).rejects.toMatchObject({ code: 'not-found' })
  })

  test('a popup comes to the front, and what it fetched first is known', async () => {
    await open('/popup')
    await bench.api.browser.click({ selector: '#open' })
    await expect.poll(async () => (await bench.api.browser.links()).url).toBe(url('/form'))
    const { requests } = await bench.api.browser.network({ urlPattern: '/form$' })
    expect(requests.at(-1)).toMatchObject({ status: 200 })
    const { tabs } = await bench.api.tabs.list()
    await bench.api.tabs.close({ id: tabs.find((tab) => tab.active)?.id ?? '' })
    await expect.poll(async () => (await bench.api.browser.links()).url).toBe(url('/popup'))
    await bench.api.browser.click({ selector: '#blank' })
    await expect.poll(async () => (await bench.api.browser.links()).url).toBe(url('/article'))
  })
})
