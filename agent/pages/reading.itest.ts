import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()
const { open } = bench
const execute = (expression: string, more: object = {}) => bench.api.browser.execute({ expression, ...more })

/** Width and height, from the file itself. */
function sizeOfPng(bytes: Uint8Array): [number, number] {
  const view = Buffer.from(bytes)
  expect(view.subarray(0, 4).toString('hex')).toBe('89504e47')
  return [view.readUInt32BE(16), view.readUInt32BE(20)]
}

describe('pictures', () => {
  beforeEach(() => open('/tall'))

  test('the window, the whole page, an element', async () => {
    const inner = await bench.evaluate('[innerWidth, innerHeight]')
    const shot = await bench.api.browser.screenshot()
    expect(shot.contentType).toBe('image/png')
    expect(sizeOfPng(shot.bytes)).toEqual(inner)
    expect(sizeOfPng((await bench.api.browser.screenshot({ fullPage: true })).bytes)[1]).toBe(4100)
    expect(sizeOfPng((await bench.api.browser.screenshot({ selector: '#box' })).bytes)).toEqual([200, 100])
  })

  test('jpeg and webp, smaller with less quality', async () => {
    const shot = async (format: 'jpeg' | 'webp', quality: number) => {
      const { contentType, bytes } = await bench.api.browser.screenshot({ format, quality })
      expect(contentType).toBe(`image/${format}`)
      return Buffer.from(bytes)
    }
    expect((await shot('jpeg', 90)).subarray(0, 3).toString('hex')).toBe('ffd8ff')
    expect((await shot('webp', 90)).subarray(8, 12).toString()).toBe('WEBP')
    expect((await shot('jpeg', 10)).length).toBeLessThan((await shot('jpeg', 100)).length)
  })

  test('of what is taller than one can be its beginning, which is said', async () => {
    expect(await bench.api.browser.screenshot({ fullPage: true })).not.toHaveProperty('cutFrom')
    await bench.evaluate("box.style.cssText = 'width: 40px; height: 20000px; background: red'; 0")
    const { bytes, cutFrom } = await bench.api.browser.screenshot({ format: 'webp', selector: '#box' })
    expect(Buffer.from(bytes).subarray(8, 12).toString()).toBe('WEBP')
    expect(cutFrom).toBe('40x20000')
    const whole = await bench.api.browser.screenshot({ fullPage: true })
    expect(sizeOfPng(whole.bytes)[1]).toBe(16_384)
    expect(whole.cutFrom).toBe(`1000x${await bench.evaluate('document.documentElement.scrollHeight')}`)
  })

  test('of an element in a frame of another site', async () => {
    await open('/frames')
    await bench.api.browser.wait({ selector: 'button.far' })
    const [width, height] = sizeOfPng((await bench.api.browser.screenshot({ selector: 'button.far' })).bytes)
    expect(width).toBeGreaterThan(20)
    expect(height).toBeLessThan(40)
  })

  test('pdf, of the size asked for', async () => {
    const text = async (params: object) => Buffer.from((await bench.api.browser.pdf(params)).bytes).toString('latin1')
    expect(await text({})).toMatch(/^%PDF-/)
    expect(await text({ format: 'letter' })).toContain('/MediaBox [0 0 612 792]')
    expect(await text({ format: 'legal', landscape: true })).toContain('/MediaBox [0 0 1008 612]')
    const pages = (pdf: string) => pdf.match(/\/Type \/Page\b/g)?.length ?? 0
    expect(pages(await text({ scale: 0.5 }))).toBeLessThan(pages(await text({ scale: 2 })))
  })

  test('of what is not there', async () => {
    await expect(bench.api.browser.screenshot({ selector: '#none' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(bench.api.browser.screenshot({ selector: '##' })).rejects.toMatchObject({ code: 'invalid-selector' })
  })
})

describe('texts', () => {
  test('content, of the page and of an element', async () => {
    await open('/article')
    const whole = await bench.api.browser.content()
    expect(whole).toMatchObject({ url: `${bench.pages.origin}/article`, title: 'Article' })
    expect(whole.html).toMatch(/^<!DOCTYPE html>\n<html>[\s\S]*<\/html>$/)
    expect((await bench.api.browser.content({ selector: 'ul' })).html).toBe('<ul><li>one</li><li>two</li></ul>')
    await expect(bench.api.browser.content({ selector: 'x-none' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(bench.api.browser.content({ selector: ':no(' })).rejects.toMatchObject({ code: 'invalid-selector' })
  })

  test('markdown, without what surrounds every page', async () => {
    await open('/article')
    const { markdown, title, truncated } = await bench.api.browser.markdown()
    expect([title, truncated]).toEqual(['Article', false])
    expect(markdown).toContain('# The article')
    expect(markdown).toContain(`First **bold** word, [a link](${bench.pages.origin}/form).`)
    expect(markdown).toMatch(/- +one\n- +two/)
    expect(markdown).toMatch(/\| a +\| b +\|\n\| -+ \| -+ \|\n\| 1 +\| 2 +\|/)
    expect(markdown).toContain('```\nx = 1\n```')
    expect(markdown).toContain('```python\ndef f():\n    pass\n```')
    expect(markdown).toMatch(/\[x\] +done\n.*\[ \] +to do/)
    expect(markdown).toContain('From the shadow [deep link]')
    for (const left of ['Menu', 'Advert', 'Imprint', 'scripted', 'unseen', 'undisplayed'])
      expect(markdown).not.toContain(left)
  })

  test('scrape, here or at an address, in frames and shadow roots', async () => {
    await open('/article')
    const { data } = await bench.api.browser.scrape({
      selectors: { items: 'li', deep: 'x-note p, p a', none: 'video' },
    })
    expect(data).toEqual({ items: ['one', 'two', 'done', 'to do'], deep: ['a link', 'deep link'], none: [] })
    const there = await bench.api.browser.scrape({ url: `${bench.pages.origin}/frames`, selectors: { texts: 'p' } })
    expect(there.title).toBe('Frames')
    await bench.api.browser.wait({ selector: 'p.far' })
    expect((await bench.api.browser.scrape({ selectors: { texts: 'p' } })).data['texts']).toEqual([
      'text of the frame',
      'text of the frame',
    ])
    await expect(bench.api.browser.scrape({ selectors: { a: '!' } })).rejects.toMatchObject({
      code: 'invalid-selector',
    })
  })

  test('links, in frames and shadow roots', async () => {
    await open('/article')
    const { links, url } = await bench.api.browser.links()
    expect(url).toBe(`${bench.pages.origin}/article`)
    expect(links.map((link) => [link.href.slice(bench.pages.origin.length), link.text])).toEqual([
      ['/', 'Home'],
      ['/form', 'a link'],
      ['/inside', 'drawn'],
      ['/shadow', 'deep link'],
    ])
    await open('/frames')
    await bench.api.browser.wait({ selector: 'p.far' })
    expect((await bench.api.browser.links()).links.map((link) => link.text)).toEqual(['inner link', 'inner link'])
  })

  test('the accessibility tree', async () => {
    await open('/aria')
    const { snapshot, title } = await bench.api.browser.snapshot()
    expect(title).toBe('Aria')
    for (const line of [
      '- heading "Head" [level=1]',
      '- button "Toggle" [pressed]',
      '- textbox "City" value="Rome"',
      '- checkbox "Agree" [checked]',
      '- link "Home"',
      '- text: para',
    ])
      expect(snapshot).toContain(line)
    await open('/frames')
    await bench.api.browser.wait({ selector: 'p.far' })
    expect((await bench.api.browser.snapshot()).snapshot.match(/button "Inner"/g)).toHaveLength(2)
  })

  test('a page of 120,000 nodes', async () => {
    await open('/huge')
    const { markdown, truncated } = await bench.api.browser.markdown()
    expect(truncated).toBe(true)
    expect(markdown.length).toBeGreaterThan(50_000)
    const snapshot = bench.api.browser.snapshot()
    await expect(snapshot).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('too many') })
    expect(await bench.api.browser.wait({ selector: '#last' })).toEqual({ found: true })
    expect((await bench.api.browser.content()).html.length).toBeGreaterThan(800_000)
  })

  test.each([
    ['frame', "document.body.appendChild(document.createElement('iframe')).srcdoc = many, 0"],
    ['shadow root', "document.body.attachShadow({ mode: 'open' }).innerHTML = many, 0"],
  ])('a snapshot counts what is in a %s', async (_where, expression) => {
    await open('/')
    await bench.evaluate(`const many = '<i>x</i>'.repeat(40000) + '<b id="last">y</b>'; ${expression}`)
    expect(await bench.api.browser.wait({ selector: '#last', timeout: 20_000 })).toEqual({ found: true })
    await expect(bench.api.browser.snapshot()).rejects.toMatchObject({ code: 'conflict' })
  })

  test('what can be opened, as lines of its own and only what is open', async () => {
    const page = '<details><summary>One</summary>hidden</details><details open><summary>Two</summary>shown</details>'
    await bench.api.browser.navigate({ url: `data:text/html,${page}` })
    expect((await bench.api.browser.markdown()).markdown).toBe('One\n\nTwo\n\nshown')
  })
})

describe('execute', () => {
  beforeEach(() => open('/'))

  test.each([
    ['1 + 1', 2, 'number'],
    ['"a" + "b"', 'ab', 'string'],
    ['({ a: [1, { b: null }] })', { a: [1, { b: null }] }, 'object'],
    ['undefined', null, 'undefined'],
    ['null', null, 'object'],
    ['NaN', 'NaN', 'number'],
    ['10n', '10n', 'bigint'],
    ['new Promise((r) => setTimeout(r, 20, "later"))', 'later', 'string'],
    ['document.querySelector("h1")', 'h1', 'object'],
    ['() => 1', '() => 1', 'function'],
    ['Symbol("s")', 'Symbol(s)', 'symbol'],
    ['new Date(0)', '1970-01-01T00:00:00.000Z', 'object'],
    ['new Proxy({ a: [1] }, {})', { a: [1] }, 'object'],
  ])('%s', async (expression, result, type) => {
    expect(await execute(expression)).toEqual({ result, type })
  })

  test('a promise that is not awaited', async () => {
    expect(await execute('Promise.resolve(1)', { awaitPromise: false })).toMatchObject({ result: 'Promise' })
  })

  test.each([
    ['nothing.here', 'ReferenceError: nothing is not defined'],
    ['(', 'SyntaxError'],
    ['Promise.reject(new Error("no"))', 'Error: no'],
    ['(() => { throw "text" })()', 'text'],
    ['(() => { const a = {}; a.a = a; return a })()', 'circular'],
    ['(() => { let a = 1; for (let i = 0; i < 700; i++) a = [a]; return a })()', 'nested'],
  ])('%s is an error of the script', async (expression, text) => {
    const failure = execute(expression)
    await expect(failure).rejects.toMatchObject({
      code: 'script-error',
      status: 400,
      message: expect.stringContaining(text),
    })
  })

  test.each([['for (;;);'], ['new Promise(() => {})'], ['Promise.resolve().then(() => { for (;;); })']])(
    '%s ends in time, and the page lives',
    async (expression) => {
      await expect(execute(expression, { timeout: 400 })).rejects.toMatchObject({ code: 'timeout', status: 504 })
      expect(await bench.evaluate('1')).toBe(1)
    },
  )

  test('what is run is not in the audit', async () => {
    await execute('"canary-in-expression"')
    const { entries } = await bench.api.audit.list({ action: 'execute' })
    expect(JSON.stringify(entries)).not.toContain('canary-in-expression')
    expect(entries[0]?.details).toMatchObject({ expression: '22 characters' })
  })
})

describe('pages that meddle', () => {
  test.each([
    ["JSON.stringify = () => 'null'"],
    ["Object.prototype.toJSON = () => 'trap'"],
    ["Array.prototype.toJSON = () => 'trap'"],
    ['JSON.stringify = () => { throw 1 }'],
  ])('results are what they are after %s', async (meddling) => {
    await open('/article')
    await execute(`${meddling}; 0`)
    const { result } = await execute("({ a: [1, 'x', null, NaN, { b: true }], d: new Date(0), f() {}, u: undefined })")
    expect(result).toEqual({ a: [1, 'x', null, null, { b: true }], d: '1970-01-01T00:00:00.000Z' })
  })

  test('a page that is left and loaded again without a rest is read all the same', async () => {
    await open('/reloads')
    expect(await bench.api.browser.markdown()).toMatchObject({ markdown: 'again' })
    expect((await bench.api.browser.content({ selector: 'p' })).html).toBe('<p>again</p>')
    expect(await bench.api.browser.wait({ selector: 'p' })).toEqual({ found: true })
    await open('/article')
    await expect(execute("location.href = '/'; new Promise(() => {})")).rejects.toMatchObject({
      code: 'cdp-error',
      message: expect.stringContaining('went elsewhere'),
    })
  })

  test.each([
    ['crashed', 'Page.crash', {}],
    ['is in an endless loop', 'Runtime.evaluate', { expression: 'for (;;);' }],
  ])('a frame of another site that %s is left out, and the page is read', async (_how, method, params) => {
    await open('/frames')
    await bench.api.browser.wait({ selector: 'button.far' })
    await bench.toFarFrame(method, params)
    const [{ data }, { snapshot }] = await Promise.all([
      bench.api.browser.scrape({ selectors: { all: 'button' } }),
      bench.api.browser.snapshot(),
    ])
    expect(data['all']).not.toEqual([])
    expect(snapshot).toContain('button')
    await open('/frames')
    expect(await bench.api.browser.wait({ selector: 'button.far' })).toEqual({ found: true })
  })

  test('a frame that hangs hides nothing of the page', async () => {
    await open('/frames')
    await bench.api.browser.wait({ selector: 'button.far' })
    await bench.toFarFrame('Runtime.evaluate', { expression: 'for (;;);' })
    await execute(`setTimeout(() => {
      document.body.insertAdjacentHTML('afterbegin', '<button id="later" onclick="this.textContent = 1">x</button>')
    }, 1000); 0`)
    expect(await bench.api.browser.wait({ selector: '#later', timeout: 10_000 })).toEqual({ found: true })
    expect(await bench.api.browser.click({ selector: '#later' })).toEqual({ ok: true })
    expect((await bench.api.browser.content({ selector: '#later' })).html).toContain('>1<')
    await expect(bench.api.browser.content({ selector: '#nothing' })).rejects.toMatchObject({ code: 'not-found' })
    const none = bench.api.browser.click({ selector: '#nothing', timeout: 1000 })
    await expect(none).rejects.toMatchObject({ code: 'not-found' })
  })

  test('a frame that was busy for a while is looked at again', async () => {
    await open('/frames')
    await bench.api.browser.wait({ selector: 'button.far' })
    const busy = 'const end = Date.now() + 1500; while (Date.now() < end); document.body.innerHTML += "<p id=after>x"'
    await bench.toFarFrame('Runtime.evaluate', { expression: busy })
    expect(await bench.api.browser.wait({ selector: '#after', timeout: 10_000 })).toEqual({ found: true })
  })

  test('what lies five hundred levels deep is in the snapshot', async () => {
    await open('/article')
    await execute("document.body.innerHTML = '<div>'.repeat(500) + '<button>deep down</button>'")
    expect((await bench.api.browser.snapshot()).snapshot).toContain('button "deep down"')
  })
})

describe('a page that does not answer', () => {
  afterEach(() => bench.reset())

  test('in an endless loop: a timeout', async () => {
    await open('/loop')
    await bench.untilStuck()
    await expect(bench.api.browser.wait({ selector: 'p', timeout: 300 })).resolves.toEqual({ found: false })
    const hover = bench.api.browser.hover({ selector: 'p', timeout: 300 })
    await expect(hover).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('did not answer') })
    // What the browser's own process knows is known.
    expect((await bench.api.tabs.list()).tabs[0]).toMatchObject({ url: `${bench.pages.origin}/loop` })
  })

  test('with a dialog open: said at once, by name', async () => {
    const navigating = bench.api.browser.navigate({ url: `${bench.pages.origin}/alerts-at-once` })
    const named = { code: 'conflict', message: expect.stringContaining('alert: "At once"') }
    await expect(navigating).rejects.toMatchObject(named)
    for (const call of ['content', 'markdown', 'links', 'snapshot', 'screenshot', 'pdf', 'reload', 'back'] as const)
      await expect(bench.api.browser[call]()).rejects.toMatchObject(named)
    await expect(execute('1')).rejects.toMatchObject(named)
    await bench.api.browser.dialog({ accept: true })
    await expect.poll(() => bench.evaluate('document.title')).toBe('Alerts')
  })
})
