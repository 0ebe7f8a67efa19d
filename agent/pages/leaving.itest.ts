import { afterEach, describe, expect, test } from 'vitest'
import { benchForFile } from './pages-bench.ts'

const bench = benchForFile()
const { open, evaluate } = bench
afterEach(() => bench.reset())
const api = () => bench.api.browser
const url = (to: string) => bench.pages.origin + to
const tabs = async () => (await bench.api.tabs.list()).tabs

/** A tab and the popup that it opened, which is in front: both live in one process. */
async function openPopup(): Promise<{ opener: string; popup: string }> {
  await open('/popup')
  const opener = (await tabs()).find((tab) => tab.active)?.id ?? ''
  await api().click({ selector: '#open' })
  await expect.poll(async () => (await api().links()).url, { timeout: 10_000 }).toBe(url('/form'))
  return { opener, popup: (await tabs()).find((tab) => tab.active)?.id ?? '' }
}

describe('a dialog stops every tab of its process', () => {
  test('a tab closes with its dialog, and the one that opened it lives', async () => {
    const { opener, popup } = await openPopup()
    await evaluate('setTimeout(() => alert("From the popup"), 100); 0')
    await expect
      .poll(() =>
        api()
          .content()
          .catch((error) => error.code),
      )
      .toBe('conflict')
    expect(await bench.api.tabs.close({ id: popup })).toEqual({ ok: true })
    expect((await tabs()).map(({ id }) => id)).not.toContain(popup)
    expect(await api().content()).toMatchObject({ title: 'Opener' })
    expect((await tabs()).find((tab) => tab.active)?.id).toBe(opener)
  })

  test('whatever is asked of another is refused with its name, and nothing crashes', async () => {
    const { opener, popup } = await openPopup()
    const named = {
      code: 'conflict',
      message: expect.stringMatching(/Another tab, .*\/popup, shows a dialog \(alert: "From the opener"\)/),
      extra: { tabId: opener, dialog: { type: 'alert', message: 'From the opener' } },
    }
    const waiting = expect(api().wait({ selector: '#never', timeout: 20_000 })).rejects.toMatchObject(named)
    await evaluate('opener.setTimeout("alert(\'From the opener\')", 100); 0')
    await waiting
    await Promise.all([
      ...(['content', 'markdown', 'links', 'snapshot', 'screenshot', 'reload'] as const).map((call) =>
        expect(api()[call](), call).rejects.toMatchObject(named),
      ),
      expect(api().click({ selector: '#go' })).rejects.toMatchObject(named),
      expect(api().navigate({ url: url('/article') })).rejects.toMatchObject(named),
    ])
    // A page of another process is none of its business.
    const other = await bench.api.tabs.open({ url: url('/article') })
    expect(other.title).toBe('Article')
    expect(await api().content()).toMatchObject({ title: 'Article' })
    await bench.api.tabs.activate({ id: popup })
    expect(await api().dialog({ accept: true })).toEqual({ ok: true })
    expect(await api().content()).toMatchObject({ title: 'Form' })
    await bench.api.tabs.activate({ id: opener })
    expect(await api().content()).toMatchObject({ title: 'Opener' })
  })

  test('a click that opens one in another tab has worked', async () => {
    await openPopup()
    await evaluate('document.getElementById("go").onclick = () => opener.alert("Clicked"); 0')
    expect(await api().click({ selector: '#go' })).toEqual({ ok: true })
    await expect(api().content()).rejects.toMatchObject({ code: 'conflict' })
    await api().dialog({ accept: true })
    expect(await api().content()).toMatchObject({ title: 'Form' })
  })
})

describe('a page that loops again and again', () => {
  test.each([
    ['an address of the same site', () => api().navigate({ url: url('/article') })],
    ['one of another', () => api().navigate({ url: `${bench.pages.otherOrigin}/article` })],
    ['the page before', () => api().back()],
  ])('is left for %s', async (_where, leave) => {
    await open('/article')
    await open('/loops')
    await bench.untilStuck()
    expect(await leave()).toMatchObject({ title: 'Article' })
    expect(await evaluate('1 + 1')).toBe(2)
  })

  test('is left for one that takes longer than the pause between two loops', async () => {
    await open('/loops?500')
    await bench.untilStuck()
    expect(await api().navigate({ url: url('/slow?ms=1500') })).toMatchObject({ url: url('/slow?ms=1500') })
  })

  test('is loaded again, and its tab is closed', async () => {
    await open('/loops')
    await bench.untilStuck()
    expect(await api().reload()).toMatchObject({ url: url('/loops') })
    await bench.untilStuck()
    const { id } = (await tabs()).find((tab) => tab.active) ?? { id: '' }
    await bench.api.tabs.open()
    expect(await bench.api.tabs.close({ id })).toEqual({ ok: true })
    expect((await tabs()).map((tab) => tab.id)).not.toContain(id)
  })
})
