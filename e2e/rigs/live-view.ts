import type { Locator } from 'playwright'
import { type CdpPage, chromiumAddress, findPage } from './cdp-page.ts'
import { type OpenedBrowser, openBrowser } from './opened-browser.ts'
import { spot, typingPages } from './typing-page.ts'
import { until } from './until.ts'

/** A browser on a real display, with a page that notes its keys, shown in Live; nobody has control of it yet. */
export interface LiveView extends Omit<OpenedBrowser, 'stop'> {
  canvas: Locator
  /** The page itself, past the console. */
  readonly page: CdpPage
  /** Finds the page again, after the browser was somewhere else. */
  findPage(): Promise<void>
  viewer(attributes: string): Locator
  lease(state: string): Locator
  /** What stands in the page's field. */
  field(): Promise<string>
  clearField(): Promise<unknown>
  /** The keys that the page has seen since then. */
  keys(): Promise<string[]>
  intoField(): Promise<void>
  keyboardInPicture(): Promise<unknown>
  takeOver(): Promise<void>
  stop(): Promise<void>
}

export async function openLiveView(): Promise<LiveView> {
  const opened = await openBrowser({
    answer: ({ url }, response) => {
      // One never answers, one never ends.
      if (url === '/silent') return
      if (url === '/endless') response.write('<!doctype html><title>Endless</title><p>half of it')
      else response.end(typingPages[url ?? ''] ?? '<title>Nothing</title>')
    },
    ...{ first: '/typing', tab: 'live' },
  })
  const { console, agent, at } = opened
  const canvas = at('live-canvas')
  const viewer = (attributes: string) => console.window.locator(`[data-testid=browser-viewer]${attributes}`)
  const find = () =>
    until('the page over CDP', () => findPage(chromiumAddress(agent.dataDir), (url) => url.endsWith('/typing')))
  await viewer('[data-phase=live]').waitFor()
  let page = await find()
  const keyboardInPicture = () =>
    until('the keyboard to be the machine’s', () =>
      console.window.evaluate(() => document.activeElement?.matches('textarea[data-machine-keys]') === true),
    )
  return {
    ...{ ...opened, canvas, viewer, keyboardInPicture },
    get page() {
      return page
    },
    async findPage() {
      page.close()
      page = await find()
    },
    lease: (state) => console.window.locator(`[data-testid=lease-bar][data-lease=${state}]`),
    field: () => page.evaluate<string>(`document.getElementById('field').value`),
    clearField: () => page.evaluate(`document.getElementById('field').value = ''; keys.length = 0`),
    keys: () => page.evaluate<string[]>('keys'),
    async intoField() {
      await page.evaluate(`document.getElementById('field').focus()`)
      await canvas.click({ position: await spot(canvas, { x: 300, y: 50 }) })
      await keyboardInPicture()
    },
    async takeOver() {
      await at('take-over').click()
      await viewer('[data-phase=live][data-mode=control]').waitFor()
    },
    async stop() {
      page.close()
      await opened.stop()
    },
  }
}
