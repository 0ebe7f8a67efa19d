import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CdpPage, chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { type OpenedBrowser, openBrowser } from './rigs/opened-browser.ts'
import { until } from './rigs/until.ts'

const form = `<!doctype html><title>Form</title><style>body{margin:0}input,a{display:block;height:60px;width:300px}</style>
<input type="file" id="file"><a id="link" href="/report">Report</a>
<script>
  const seen = []
  file.onchange = () => seen.push(file.files.length === 0 ? 'nothing' : file.files[0].name)
  file.oncancel = () => seen.push('cancelled')
</script>`

/** Files where the picture is the page alone: neither a file dialog nor a download is to be seen in it. */
describe('files of a page without a display', () => {
  let opened: OpenedBrowser
  let page: CdpPage
  let at: OpenedBrowser['at']
  const viewer = (attributes: string) => opened.console.window.locator(`[data-testid=browser-viewer]${attributes}`)
  const seen = () => page.evaluate<string[]>('seen')
  /** At a place of the page, whose picture has bars beside it where it is not as wide as the canvas. */
  const click = async (y: number) => {
    const position = await at('live-canvas').evaluate((element, onPage) => {
      const { width, height, clientWidth, clientHeight } = element as HTMLCanvasElement
      const scale = Math.min(clientWidth / width, clientHeight / height)
      const [left, top] = [(clientWidth - width * scale) / 2, (clientHeight - height * scale) / 2]
      return { x: left + 60 * scale, y: top + onPage * scale }
    }, y)
    await at('live-canvas').click({ position })
  }
  const hasKeyboard = () =>
    opened.console.window.evaluate(() => document.activeElement?.matches('textarea[data-machine-keys]') === true)

  beforeAll(async () => {
    opened = await openBrowser({
      answer: ({ url }, response) => {
        if (url === '/report') {
          response.setHeader('content-type', 'application/octet-stream')
          response.setHeader('content-disposition', 'attachment; filename="report.csv"')
          response.end('x'.repeat(2500))
        } else response.end(form)
      },
      ...{ first: '/form', tab: 'live', headless: true },
    })
    at = opened.at
    opened.console.window.setDefaultTimeout(8000)
    const uploads = path.join(opened.agent.dataDir, 'uploads')
    mkdirSync(uploads, { recursive: true })
    writeFileSync(path.join(uploads, 'cv.pdf'), 'a resume')
    page = await until('the page over CDP', () =>
      findPage(chromiumAddress(opened.agent.dataDir), (url) => url.endsWith('/form')),
    )
    await viewer('[data-phase=live]').waitFor()
    await at('take-over').click()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
  }, 180_000)
  afterAll(async () => {
    page?.close()
    await opened?.stop()
  })

  test('a file field that is clicked gets a file of the machine, or is cancelled', async () => {
    await click(30)
    await at('file-chooser').waitFor()
    await at('chooser-cancel').click()
    await at('file-chooser').waitFor({ state: 'detached' })
    await expect.poll(seen).toEqual(['cancelled'])
    await until('the keyboard to be the machine’s', hasKeyboard)
    await click(30)
    await at('file-chooser')
      .getByRole('button', { name: /cv\.pdf/ })
      .click()
    await at('chooser-give').click()
    await at('file-chooser').waitFor({ state: 'detached' })
    await expect.poll(seen).toEqual(['cancelled', 'cv.pdf'])
  })

  test('a file that is not there is told of, and can be put there meanwhile', async () => {
    await click(30)
    await at('file-chooser').getByRole('textbox').fill('late.txt')
    await at('chooser-give').click()
    await opened.console.window
      .getByText(/There is no such file/)
      .first()
      .waitFor()
    writeFileSync(path.join(opened.agent.dataDir, 'uploads', 'late.txt'), 'now')
    await at('chooser-look').click()
    await at('file-chooser')
      .getByRole('button', { name: /late\.txt/ })
      .waitFor()
    await at('chooser-give').click()
    await expect.poll(async () => (await seen()).at(-1)).toBe('late.txt')
    await at('file-chooser').waitFor({ state: 'detached' })
  })

  test('what asks for a file asks again to whoever comes back to it, and no longer once it was left', async () => {
    const tab = (name: string) =>
      opened.console.window.evaluate((to) => {
        location.hash = location.hash.replace(/\w+$/, to)
      }, name)
    await click(30)
    await at('file-chooser').waitFor()
    await tab('overview')
    await at('file-chooser').waitFor({ state: 'detached' })
    await tab('live')
    await at('file-chooser').waitFor()
    await page.evaluate('location.reload()')
    await at('file-chooser').waitFor({ state: 'detached' })
    await viewer('[data-phase=live][data-mode=control]').waitFor()
  })

  test('a download says that it was made, how large it is, and where it lies', async () => {
    await click(90)
    await opened.console.window
      .getByText(/report\.csv is downloaded, 2\.5 kB/)
      .first()
      .waitFor()
    await opened.console.window
      .getByText(/On shop-1: .*Downloads.report\.csv/)
      .first()
      .waitFor()
  })
})
