import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { type OpenedBrowser, openBrowser } from './rigs/opened-browser.ts'
import { until } from './rigs/until.ts'

/** A page that asks something while a person has control: it does nothing else until they have answered. */
describe('a dialog of the page', () => {
  let opened: OpenedBrowser
  let at: OpenedBrowser['at']
  const viewer = (attributes: string) => opened.console.window.locator(`[data-testid=browser-viewer]${attributes}`)
  const shop = () =>
    until('the page over CDP', () => findPage(chromiumAddress(opened.agent.dataDir), (url) => url.endsWith('/shop')))
  const takeOver = async () => {
    await at('take-over').click()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    await until('the keyboard to be the machine’s', hasKeyboard)
  }
  const hasKeyboard = () =>
    opened.console.window.evaluate(() => document.activeElement?.matches('textarea[data-machine-keys]') === true)

  beforeAll(async () => {
    opened = await openBrowser({
      answer: (_request, response) => {
        response.end('<!doctype html><title>Shop</title><textarea id="field" autofocus></textarea>')
      },
      ...{ first: '/shop', tab: 'live' },
    })
    at = opened.at
    await viewer('[data-phase=live]').waitFor()
  }, 180_000)
  afterAll(async () => {
    await opened?.stop()
  })

  test('on a display it takes letters of any script', async () => {
    const page = await shop()
    await takeOver()
    const said = page.evaluate<string>('prompt("Your name?", "")')
    await until('the dialog', async () => {
      const { code } = await opened.agent.client.call('browser.content', {}).then(
        () => ({ code: 'answered' }),
        (problem: { code: string }) => problem,
      )
      return code === 'conflict'
    })
    await opened.console.window.keyboard.type('Łukasz ж')
    await opened.console.window.keyboard.press('Enter')
    expect(await said).toBe('Łukasz ж')
    page.close()
    await at('give-back').click()
    await at('give-back-confirm').click()
    await opened.console.window.locator('[data-testid=lease-bar][data-lease=none]').waitFor()
  })

  test('where the picture is the page alone it stands over it, and is answered there by whoever has control', async () => {
    const { window } = opened.console
    const { client } = opened.agent
    const { url } = await client.call('browser.status')
    await client.call('browser.stop')
    await client.call('browser.start', { url: url ?? '', headless: true }, { timeoutMs: 60_000 })
    await viewer('[data-phase=live]').waitFor()
    const page = await shop()
    const said = page.evaluate<string>('prompt("Your name?", "nobody")')
    await window.getByText('Take over to answer it').waitFor()
    expect(await at('page-dialog').count()).toBe(0)
    await at('take-over').click()
    await at('page-dialog').waitFor()
    await window.getByText('Your name?').waitFor()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    // Also for whoever comes back to it.
    await window.evaluate(() => {
      location.hash = location.hash.replace(/live$/, 'overview')
    })
    await at('page-dialog').waitFor({ state: 'detached' })
    await window.evaluate(() => {
      location.hash = location.hash.replace(/overview$/, 'live')
    })
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    expect(await window.getByRole('textbox', { name: 'Answer' }).inputValue()).toBe('nobody')
    await window.keyboard.type('Łukasz 😀')
    await window.keyboard.press('Enter')
    expect(await said).toBe('Łukasz 😀')
    await at('page-dialog').waitFor({ state: 'detached' })
    await until('the keyboard to be the machine’s', hasKeyboard)
    const sure = page.evaluate<boolean>('confirm("Sure?")')
    await at('page-dialog-accept').waitFor()
    await window.keyboard.press('Escape')
    expect(await sure).toBe(false)
    await until('the keyboard to be the machine’s again', hasKeyboard)
    await window.keyboard.type('z')
    await until('a key in the page', async () => (await page.evaluate<string>('field.value')) === 'z')
    page.close()
  })

  test('a page that crashes there is not shown as if it lived, and is loaded again from where that is said', async () => {
    const { window } = opened.console
    const page = await shop()
    page.crash()
    await window.getByText('The page crashed').waitFor()
    // Also for whoever comes to it only then, however long that takes.
    await window.evaluate(() => {
      location.hash = location.hash.replace(/live$/, 'overview')
    })
    await viewer('').waitFor({ state: 'detached' })
    await window.evaluate(() => {
      location.hash = location.hash.replace(/overview$/, 'live')
    })
    await at('crashed-reload').click()
    await window.getByText('The page crashed').waitFor({ state: 'detached' })
    page.close()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
  })
})
