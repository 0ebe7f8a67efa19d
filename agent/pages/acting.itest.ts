import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()
const { open, evaluate } = bench
const api = () => bench.api.browser
const ok = { ok: true }
const log = async () => (await evaluate('log')) as unknown[]
const value = (id: string) => evaluate(`document.getElementById('${id}').value`)

describe('click', () => {
  test('with each button, once or twice', async () => {
    await open('/form')
    expect(await api().click({ selector: '#go' })).toEqual(ok)
    await api().click({ selector: '#go', clickCount: 2 })
    await api().click({ selector: '#go', button: 'right' })
    await api().click({ selector: '#go', button: 'middle' })
    expect(await log()).toEqual(['go', 'go', 'go', 'dblclick:go', 'contextmenu:go', 'auxclick:go', 'auxclick:go'])
  })

  test('a box that only its label shows', async () => {
    await open('/form')
    await api().click({ selector: '#tick' })
    expect(await evaluate('tick.checked')).toBe(true)
  })

  test.each([
    ['/late', '#late', [1]],
    ['/covered?goes', '#under', ['under']],
    ['/sticky', '#far', ['far']],
    ['/moving', '#run', ['run']],
    ['/shadow', '.deep', ['deep']],
  ])('on %s waits until %s can be clicked', async (page, selector, logged) => {
    await open(page)
    await api().click({ selector })
    expect(await log()).toEqual(logged)
  })

  test('in frames, of the same site and of another', async () => {
    await open('/frames')
    await evaluate('window.got = []; addEventListener("message", (e) => got.push(e.data)); 0')
    await api().click({ selector: 'button.near' })
    await api().click({ selector: 'button.far' })
    await expect.poll(() => evaluate('got')).toEqual(['?near', '?far'])
  })

  test.each([
    ['/covered', '#under', 'timeout', 'is covered by <div id="veil" class="overlay">'],
    ['/restless', '#run', 'timeout', 'does not stand still'],
    ['/hidden', '#no', 'timeout', 'cannot be seen'],
    ['/outside', '#out', 'timeout', 'lies where nothing can be scrolled to'],
    ['/form', '#off', 'timeout', 'is disabled'],
    ['/form', '#none', 'not-found', 'No element matches "#none"'],
    ['/form', '#', 'invalid-selector', 'not a valid selector'],
  ])('on %s %s ends with %s', async (page, selector, code, text) => {
    await open(page)
    const failure = api().click({ selector, timeout: 700 })
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringContaining(text) })
  })
})

test('a call that is not to wait at all has the time for one look', async () => {
  await open('/form')
  expect(await api().wait({ selector: '#go', timeout: 0 })).toEqual({ found: true })
  expect(await api().wait({ selector: '#none', timeout: 0 })).toEqual({ found: false })
  expect(await api().click({ selector: '#go', timeout: 0 })).toEqual(ok)
})

describe('type', () => {
  test('key by key, at the end or over what was there', async () => {
    await open('/form')
    await api().type({ selector: '#name', text: ' & New!', delay: 1 })
    expect(await value('name')).toBe('old & New!')
    expect((await log()).filter((entry) => String(entry).startsWith('keydown')).slice(0, 2)).toEqual([
      'keydown: ',
      'keydown:&',
    ])
    await api().type({ selector: '#name', text: 'émoji 🙂 日本', clear: true })
    expect(await value('name')).toBe('émoji 🙂 日本')
    await api().type({ selector: '#name', text: '', clear: true })
    expect(await value('name')).toBe('')
    await api().type({ selector: '#mail', text: 'a@b.example' })
    expect(await value('mail')).toBe('a@b.example')
    await api().type({ selector: '#text', text: 'one\ntwo\r\nthree' })
    expect(await value('text')).toBe('one\ntwo\nthree')
    await api().type({ selector: '#edit', text: 'c' })
    expect(await evaluate('edit.textContent')).toBe('abc')
    await api().type({ selector: '#day', text: '2030-05-06' })
    expect(await value('day')).toBe('2030-05-06')
    await api().type({ selector: '#text', text: 'x'.repeat(50_000), clear: true })
    expect(await evaluate('text.value.length')).toBe(50_000)
  })

  test('in shadow roots and in a frame of another site', async () => {
    await open('/shadow')
    await api().type({ selector: '.field', text: 'deep' })
    expect(await evaluate('inner.querySelector("input").value')).toBe('deep')
    await open('/frames')
    await api().type({ selector: 'input.far', text: 'far away' })
    expect((await bench.api.browser.snapshot()).snapshot).toContain('value="far away"')
  })

  test.each([
    ['#fixed', 'conflict', 'read-only'],
    ['#plain', 'conflict', 'takes no text'],
    ['#off', 'timeout', 'disabled'],
    ['#none', 'not-found', 'No element'],
  ])('into %s: %s', async (selector, code, text) => {
    await open('/form')
    // The wait for the field, not the typing, is what runs out.
    const failure = api().type({ selector, text: 'x', timeout: 300 })
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringContaining(text) })
  })

  test('thousands of lines in a moment, of which the page hears as of typed ones', async () => {
    await open('/form')
    await evaluate("text.maxLength = 9000; text.value = 'old'; text.oninput = (e) => log.push(e.isTrusted), 0")
    await api().type({ selector: '#text', text: 'line\r\n'.repeat(3000) })
    await api().click({ selector: '#name' })
    expect(await value('text')).toBe(`old${'line\n'.repeat(3000)}`.slice(0, 9000))
    expect(await log()).toEqual(expect.arrayContaining(['input:text', true, 'change:text']))
  })

  test('nothing that would take hours', async () => {
    const endless = api().type({ selector: '#name', text: 'x'.repeat(1000), delay: 1000 })
    await expect(endless).rejects.toMatchObject({ code: 'invalid-params', status: 400 })
  })

  test('what was typed is not in the audit', async () => {
    await open('/form')
    await api().type({ selector: '#name', text: 'canary-typed' })
    await api()
      .select({ selector: '#choice', value: 'canary-chosen', timeout: 100 })
      .catch(() => {})
    const { entries } = await bench.api.audit.list({ action: 'act', pageSize: 50 })
    expect(JSON.stringify(entries)).not.toContain('canary')
    expect(entries.find((entry) => entry.details['text'] !== undefined)?.details).toMatchObject({
      text: '12 characters',
    })
  })
})

describe('select, hover, scroll', () => {
  test('an option by value or text', async () => {
    await open('/form')
    expect(await api().select({ selector: '#choice', value: 'b' })).toEqual(ok)
    expect(await value('choice')).toBe('b')
    await api().select({ selector: '#choice', value: ' Apple\n  pie ' })
    expect(await value('choice')).toBe('a')
    expect(await log()).toContain('change:choice')
    const select = (selector: string, wanted: string) => api().select({ selector, value: wanted, timeout: 300 })
    await expect(select('#choice', 'Cherry')).rejects.toMatchObject({ code: 'not-found' })
    await expect(select('#plain', 'x')).rejects.toMatchObject({ code: 'conflict' })
  })

  test('hover', async () => {
    await open('/form')
    await api().hover({ selector: '#over' })
    expect(await log()).toContain('over')
  })

  test('the page, an element, into view, and what scrolls in place of the page', async () => {
    await open('/tall')
    await api().scroll({ y: 500 })
    expect(await evaluate('scrollY')).toBe(500)
    await api().scroll({ selector: '#box' })
    expect(await evaluate('scrollY')).toBe(0)
    await open('/scroller')
    await api().scroll({ y: 300 })
    expect(await evaluate('list.scrollTop')).toBe(300)
    await api().scroll({ selector: '#list', y: -100 })
    expect(await evaluate('list.scrollTop')).toBe(200)
    await open('/framed')
    await api().wait({ selector: '#list' })
    await api().scroll({ y: 300 })
    expect(await evaluate('frames[0].list.scrollTop')).toBe(300)
    await expect(api().scroll({ selector: '#none', timeout: 200 })).rejects.toMatchObject({ code: 'not-found' })
  })
})

test('a tab in a text stays in its field, and no option of a group that is disabled is chosen', async () => {
  const fields = `<textarea id=a></textarea><input id=b>
    <select><option>one</option><optgroup disabled><option>two</option></optgroup></select>`
  await bench.api.browser.navigate({ url: `data:text/html,${encodeURIComponent(fields)}` })
  await bench.api.browser.type({ selector: '#a', text: 'x\ty\r\nz' })
  expect(await bench.evaluate('[a.value, b.value]')).toEqual(['x\ty\nz', ''])
  await expect(bench.api.browser.select({ selector: 'select', value: 'two', timeout: 200 })).rejects.toMatchObject({
    code: 'not-found',
  })
})

describe('where pages hide things', () => {
  test('fields and lists in frames of another site and in shadow roots take every call', async () => {
    mkdirSync(path.join(bench.rig.dataDir, 'uploads'), { recursive: true })
    writeFileSync(path.join(bench.rig.dataDir, 'uploads', 'hidden.txt'), 'x')
    for (const page of ['/deep?frame', '/deep?shadow']) {
      await open(page)
      await api().select({ selector: '.choice', value: 'b' })
      await api().hover({ selector: '.over' })
      await api().scroll({ selector: '.long', y: 120 })
      await api().upload({ selector: '.file', path: 'hidden.txt' })
      const told = async () => (await api().content({ selector: '.told' })).html
      await expect.poll(told).toContain('b, over, 120, hidden.txt')
      expect(await api().wait({ selector: '.told', state: 'visible' })).toEqual({ found: true })
    }
  })

  test('an element of a page of 120,000 nodes is clicked and hovered over', async () => {
    await open('/huge')
    expect(await api().click({ selector: '#last' })).toEqual(ok)
    expect(await api().hover({ selector: 'p:nth-of-type(39000)' })).toEqual(ok)
    expect((await api().scrape({ selectors: { last: '#last' } })).data).toEqual({ last: ['Last'] })
  })

  test('a page that asks to be stayed on is left by going back', async () => {
    await open('/article')
    await open('/stays')
    await api().click({ selector: '#b' })
    expect(await api().back()).toMatchObject({ title: 'Article' })
  })
})

describe('upload', () => {
  test('a file of the folder, and none from elsewhere', async () => {
    const folder = path.join(bench.rig.dataDir, 'uploads')
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'photo.txt'), 'pixels')
    symlinkSync('/etc/passwd', path.join(folder, 'link'))
    await open('/form')
    expect(await api().upload({ selector: '#file', path: 'photo.txt' })).toEqual(ok)
    expect(await log()).toContain('file:photo.txt')
    expect(await evaluate('file.files[0].text()')).toBe('pixels')
    for (const outside of ['../secret', '/etc/passwd', 'link', 'a\0b'])
      await expect(api().upload({ selector: '#file', path: outside })).rejects.toMatchObject({
        code: 'forbidden',
        status: 403,
      })
    await expect(api().upload({ selector: '#file', path: 'none.txt' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(api().upload({ selector: '#name', path: 'photo.txt' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(api().upload({ selector: '#file', path: 'x'.repeat(1025) })).rejects.toMatchObject({
      code: 'invalid-params',
    })
  })
})

describe('a file field that was clicked', () => {
  test('waits for its file without a selector, and for nothing once it has one, was refused or was left', async () => {
    const folder = path.join(bench.rig.dataDir, 'uploads')
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'late.txt'), 'x')
    expect((await api().uploads()).files).toContainEqual(expect.objectContaining({ path: 'late.txt', sizeBytes: 1 }))
    await open('/form')
    await evaluate(`file.hidden = false; file.style.display = 'block'`)
    const give = (file: string | null) => api().upload({ path: file })
    await expect(give('late.txt')).rejects.toMatchObject({ code: 'not-found' })
    await api().click({ selector: '#file' })
    await expect.poll(() => give('late.txt').catch(() => null)).toEqual(ok)
    expect(await log()).toContain('file:late.txt')
    await expect(give('late.txt')).rejects.toMatchObject({ code: 'not-found' })
    await evaluate(`file.addEventListener('cancel', () => { document.title = 'cancelled' })`)
    await api().click({ selector: '#file' })
    await expect.poll(() => give(null).catch(() => null)).toEqual(ok)
    expect(await evaluate('document.title')).toBe('cancelled')
    await expect(api().upload({ selector: '#file', path: null })).rejects.toMatchObject({ code: 'invalid-params' })
  })
})

describe('dialogs', () => {
  test('a click that opens one has worked; it is answered, and the page goes on', async () => {
    await open('/dialogs')
    await expect(api().dialog({ accept: true })).rejects.toMatchObject({ code: 'not-found' })
    expect(await api().click({ selector: '#alert' })).toEqual(ok)
    await expect(api().click({ selector: '#confirm' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('alert: "Look out"'),
      extra: { dialog: { type: 'alert', message: 'Look out' } },
    })
    const [front] = (await bench.api.tabs.list()).tabs
    expect(front?.dialog).toMatchObject({ type: 'alert', message: 'Look out' })
    expect(await api().dialog({ accept: true })).toEqual(ok)
    expect((await bench.api.tabs.list()).tabs[0]).not.toHaveProperty('dialog')
    await api().click({ selector: '#confirm' })
    await api().dialog({ accept: false })
    await api().click({ selector: '#prompt' })
    await api().dialog({ accept: true, text: 'Ann' })
    expect(await log()).toEqual(['alerted', false, 'Ann'])
  })
})

describe('while a person has control', () => {
  test('nothing is done but by that person, who is named', async () => {
    await open('/form')
    const typing = api().type({ selector: '#name', text: 'x'.repeat(500), delay: 20 })
    const waiting = api().click({ selector: '#none', timeout: 10_000 })
    const refused = [typing, waiting].map((call) => expect(call).rejects.toMatchObject({ code: 'held-by-operator' }))
    await expect.poll(() => value('name')).toMatch(/xx/)
    const { leaseId } = await bench.api.takeover.take({ operator: 'Ann Bell' })
    await Promise.all(refused)
    const typed = String(await evaluateAs(leaseId, 'document.getElementById("name").value'))
    expect(typed.length).toBeLessThan(400)

    const held = {
      code: 'held-by-operator',
      status: 423,
      message: expect.stringContaining('Ann Bell'),
      extra: { holder: 'Ann Bell' },
    }
    const { tabs } = await bench.api.tabs.list()
    const id = tabs[0]?.id ?? ''
    const selector = '#name'
    const calls = [
      () => api().navigate({ url: 'about:blank' }),
      () => api().back(),
      () => api().forward(),
      () => api().reload(),
      () => api().scrape({ url: 'about:blank', selectors: {} }),
      () => api().execute({ expression: '1' }),
      () => api().click({ selector }),
      () => api().type({ selector, text: 'x' }),
      () => api().select({ selector, value: 'x' }),
      () => api().hover({ selector }),
      () => api().scroll({ y: 1 }),
      () => api().upload({ selector, path: 'x' }),
      () => api().dialog({ accept: true }),
      () => bench.api.tabs.open(),
      () => bench.api.tabs.activate({ id }),
      () => bench.api.tabs.close({ id }),
      () => bench.api.cookies.set({ name: 'a', value: 'b', domain: 'x.example' }),
      () => bench.api.cookies.delete({ name: 'a' }),
    ]
    for (const call of calls) await expect(call(), String(call)).rejects.toMatchObject(held)
    expect((await api().content()).title).toBe('Form')
    await expect(api().click({ selector: '#go', leaseId: 'guess' })).rejects.toMatchObject(held)
    expect(await api().click({ selector: '#go', leaseId })).toEqual(ok)
    expect(await api().navigate({ url: `${bench.pages.origin}/`, leaseId })).toMatchObject({ title: 'Home' })
    await bench.api.takeover.handBack({ leaseId })
    expect(await api().navigate({ url: `${bench.pages.origin}/article` })).toMatchObject({ title: 'Article' })
  })
})

test('without a browser everything says so', async () => {
  await bench.api.browser.stop()
  const selector = 'a'
  const calls = [
    () => api().navigate({ url: 'about:blank' }),
    () => api().back(),
    () => api().forward(),
    () => api().reload(),
    () => api().wait({ selector }),
    () => api().screenshot(),
    () => api().pdf(),
    () => api().content(),
    () => api().markdown(),
    () => api().scrape({ selectors: {} }),
    () => api().links(),
    () => api().execute({ expression: '1' }),
    () => api().snapshot(),
    () => api().click({ selector }),
    () => api().type({ selector, text: '' }),
    () => api().select({ selector, value: '' }),
    () => api().hover({ selector }),
    () => api().scroll(),
    () => api().upload({ selector, path: 'x' }),
    () => api().dialog({ accept: true }),
    () => api().console(),
    () => api().network(),
    () => api().crawl({ url: 'http://a.example' }),
    () => bench.api.tabs.list(),
    () => bench.api.tabs.open(),
    () => bench.api.tabs.activate({ id: 'a' }),
    () => bench.api.tabs.close({ id: 'a' }),
    () => bench.api.cookies.list(),
    () => bench.api.cookies.set({ name: 'a', value: 'b' }),
    () => bench.api.cookies.delete({ name: 'a' }),
  ]
  for (const call of calls)
    await expect(call(), String(call)).rejects.toMatchObject({ code: 'not-active', status: 409 })
})

async function evaluateAs(leaseId: string, expression: string): Promise<unknown> {
  return (await api().execute({ expression, leaseId })).result
}
