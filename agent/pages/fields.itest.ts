import { describe, expect, test } from 'vitest'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()
const { open, evaluate } = bench
const api = () => bench.api.browser

/** A form answers for each of its fields by the name of that, be it the name of something that every element has. */
describe('a form whose fields have the names of its own properties', () => {
  test('is read as any other page', async () => {
    await open('/named-fields')
    expect((await api().markdown()).markdown).toMatch(/# Before.*Nested.*Inside the form.*\[Read\]\(/s)
    const { data } = await api().scrape({ selectors: { form: 'form', words: 'form p' } })
    expect(data['form']?.[0]).toContain('Inside the form')
    expect(data['words']).toEqual(['Inside the form'])
    expect((await api().content({ selector: 'form' })).html).toMatch(/^<form id="all" class="wide">/)
    expect((await api().snapshot()).snapshot).toContain('Inside the form')
    expect((await api().screenshot({ selector: 'form' })).bytes.length).toBeGreaterThan(100)
    expect((await api().links()).links).toMatchObject([{ text: 'Read' }])
    const { pages } = await api().crawl({ url: `${bench.pages.origin}/named-fields`, maxPages: 1 })
    expect(pages).toMatchObject([{ error: null, content: expect.stringContaining('Inside the form') }])
  })

  test('is acted on, and so is what stands in it', async () => {
    await open('/named-fields')
    await api().click({ selector: '#inner' })
    await api().hover({ selector: 'form' })
    await api().scroll({ selector: 'form' })
    expect(await api().wait({ selector: 'form' })).toEqual({ found: true })
    expect(await evaluate('log')).toEqual(['inner'])
    await expect(api().type({ selector: 'form', text: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    await evaluate(
      "all.style.cssText = 'position: fixed; inset: 0; padding-top: 300px'; document.querySelector('h1').id = 'below'; 0",
    )
    await expect(api().click({ selector: '#below', timeout: 300 })).rejects.toMatchObject({
      extra: { coveredBy: '<form id="all" class="wide">' },
    })
  })
})

describe('fields that keep a value of some form only', () => {
  test('text is put at the end of what is there', async () => {
    await open('/values')
    await api().type({ selector: '#mail', text: 'example' })
    await api().type({ selector: '#count', text: '.5' })
    expect(await evaluate('[mail.value, count.value]')).toEqual(['a@b.example', '12.5'])
    await api().type({ selector: '#count', text: '-3', clear: true })
    expect(await evaluate('count.value')).toBe('-3')
  })

  test.each([
    ['#count', 'twelve'],
    ['#day', '31.01.2026'],
    ['#paint', 'no color'],
    ['#much', 'a lot'],
  ])('%s refuses what it could not keep, and has what it had', async (selector, text) => {
    await open('/values')
    await expect(api().type({ selector, text })).rejects.toMatchObject({ code: 'conflict' })
    expect(await evaluate('[count.value, day.value, paint.value, much.value, log.length]')).toEqual([
      '12',
      '2026-01-31',
      '#00ff00',
      '3',
      0,
    ])
  })

  test('and takes what it can', async () => {
    await open('/values')
    for (const [selector, text] of Object.entries({ '#day': '2027-02-01', '#paint': '#0000ff', '#much': '7' }))
      await api().type({ selector, text })
    expect(await evaluate('[day.value, paint.value, much.value]')).toEqual(['2027-02-01', '#0000ff', '7'])
    expect(await evaluate('log.length')).toBe(6)
  })
})
