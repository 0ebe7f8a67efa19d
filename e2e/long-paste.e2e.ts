import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { type LiveView, openLiveView } from './rigs/live-view.ts'
import { until } from './rigs/until.ts'

/** More than one body of a call holds, with letters of several bytes. */
const text = `${'A line of what an operator pastes, für 漢字. \n'.repeat(25_000)}the end`

/** A megabyte into a text area: an export, a log, a list of addresses. */
describe('a long text that is pasted', () => {
  let live: LiveView
  const paste = async () => {
    await live.at('clipboard').click()
    await live.at('menu-paste').click()
  }

  beforeAll(async () => {
    live = await openLiveView()
    await live.console.app.evaluate(({ clipboard }, given) => clipboard.writeText(given), text)
    await live.takeOver()
  }, 180_000)
  afterAll(async () => {
    await live?.stop()
  })

  test('arrives whole through the clipboard of a display', async () => {
    await live.clearField()
    await live.intoField()
    await paste()
    await until('the end of it', async () => (await live.field()).endsWith('the end'))
    expect((await live.field()) === text).toBe(true)
  })

  test('arrives whole in a page without a display', async () => {
    const { client } = live.agent
    await client.call('browser.stop')
    await client.call('browser.start', { url: `${live.site}/typing`, headless: true }, { timeoutMs: 60_000 })
    await live.viewer('[data-phase=live]').waitFor()
    await live.takeOver()
    const page = await until('the page', () =>
      findPage(chromiumAddress(live.agent.dataDir), (url) => url.endsWith('/typing')),
    )
    await page.evaluate(`document.getElementById('field').focus()`)
    await paste()
    const field = () => page.evaluate<string>(`document.getElementById('field').value`)
    await until('the end of it', async () => (await field()).endsWith('the end'))
    expect((await field()) === text).toBe(true)
    page.close()
  })
})
