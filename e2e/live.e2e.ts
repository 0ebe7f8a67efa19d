import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invoke } from './rigs/added-machine.ts'
import { type CdpPage, chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { type OpenedBrowser, openBrowser } from './rigs/opened-browser.ts'
import { spot, typingPages } from './rigs/typing-page.ts'
import { until } from './rigs/until.ts'
import { openViewer } from './rigs/vnc-viewer.ts'

/** The live view in an operator's hands; each test goes on where the one before ended. */
describe('the live view', () => {
  let opened: OpenedBrowser
  let console: OpenedBrowser['console']
  let agent: OpenedBrowser['agent']
  let machine: OpenedBrowser['machine']
  let site: string
  let page: CdpPage
  let canvas: Locator
  let at: OpenedBrowser['at']
  const lease = (state: string) => console.window.locator(`[data-testid=lease-bar][data-lease=${state}]`)
  const viewer = (attributes: string) => console.window.locator(`[data-testid=browser-viewer]${attributes}`)
  const field = () => page.evaluate<string>(`document.getElementById('field').value`)
  const clearField = () => page.evaluate(`document.getElementById('field').value = ''; keys.length = 0`)
  const keys = () => page.evaluate<string[]>('keys')
  const intoField = async () => {
    await page.evaluate(`document.getElementById('field').focus()`)
    await canvas.click({ position: await spot(canvas, { x: 300, y: 50 }) })
    await keyboardInPicture()
  }
  const keyboardInPicture = () =>
    until('the keyboard to be the machine’s', () =>
      console.window.evaluate(() => document.activeElement?.matches('textarea[data-machine-keys]') === true),
    )
  /** The picture breaks off, and comes back after what is done meanwhile. */
  const whileAway = async (task: () => Promise<unknown>) => {
    machine.cut('/ws/vnc')
    await viewer('[data-phase=reconnecting]').waitFor()
    await task()
    machine.mend()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
  }
  const ends = async () => (await agent.client.call('takeover.get')).lease?.expiresAt ?? 'nobody has it'
  const local = (text?: string) =>
    console.app.evaluate(async ({ clipboard }, given) => {
      if (given !== undefined) await clipboard.writeText(given)
      return clipboard.readText()
    }, text)

  beforeAll(async () => {
    opened = await openBrowser({
      answer: ({ url }, response) => {
        // One never answers, one never ends.
        if (url === '/silent') return
        if (url === '/endless') response.write('<!doctype html><title>Endless</title><p>half of it')
        else response.end(typingPages[url ?? ''] ?? '<title>Nothing</title>')
      },
      ...{ first: '/typing', tab: 'live' },
    })
    ;({ console, agent, machine, site, at } = opened)
    canvas = at('live-canvas')
    await viewer('[data-phase=live]').waitFor()
    page = await until('the page over CDP', () =>
      findPage(chromiumAddress(agent.dataDir), (url) => url.endsWith('/typing')),
    )
  }, 180_000)
  afterAll(async () => {
    page?.close()
    await opened?.stop()
  })

  test('without control the navigation bar only shows, and main refuses what a window asks', async () => {
    await expect.poll(() => at('live-url').inputValue()).toBe(`${site}/typing`)
    expect(await at('live-url').getAttribute('readonly')).not.toBeNull()
    expect(await at('live-back').getAttribute('aria-disabled')).toBe('true')
    const asked = invoke(console, 'agent.call', {
      machineId: machine.id,
      call: 'browser.navigate',
      params: { url: `${site}/second` },
    })
    await expect(asked).rejects.toMatchObject({ code: 'lease-gone' })
  })

  test('what happened before this window was there stands beside the picture', async () => {
    for (const words of ['Browser runs', 'Agent started']) await at('timeline').getByText(words).waitFor()
    expect(await at('timeline').getByText('Browser runs').count()).toBe(1)
  })

  test('who else watches is listed by name', async () => {
    await console.window.getByTestId('watching').filter({ hasText: 'Only you are watching' }).waitFor()
    const grace = await openViewer(agent.clientAs({ secret: agent.secret, operator: 'Grace' }))
    await console.window.getByTestId('watching').filter({ hasText: '1 other watching: Grace' }).waitFor()
    grace.close()
    await console.window.getByTestId('watching').filter({ hasText: 'Only you are watching' }).waitFor()
  })

  test('letters of any script arrive, those of the keyboard and those an input method composes', async () => {
    await at('take-over').click()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    await intoField()
    // Letters that no plain keyboard has take another way; in each direction nothing overtakes.
    for (const piece of ['Gr', 'üße, ', 'Łó', 'd', 'ź! ']) {
      const before = await field()
      await console.window.keyboard.type(piece)
      await until(`"${piece}"`, async () => (await field()) === before + piece)
    }
    const ime = await console.window.context().newCDPSession(console.window)
    await ime.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    await ime.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    // What is only being composed is nobody's text yet.
    expect(await field()).toBe('Grüße, Łódź! ')
    await ime.send('Input.insertText', { text: '日本' })
    await until('the composed text', async () => (await field()) === 'Grüße, Łódź! 日本')
    await console.window.keyboard.press('Backspace')
    await until('a key after it', async () => (await field()) === 'Grüße, Łódź! 日')
    await ime.detach()
  })

  test('a modifier stays down until the picture loses the keyboard', async () => {
    await clearField()
    await at('special-keys').click()
    await at('hold-ctrl').click()
    await until('Ctrl to be down', async () => (await keys()).includes('keydown Control ctrl'))
    await console.window.keyboard.press('Escape')
    await keyboardInPicture()
    await console.window.keyboard.press('b')
    await until('b with Ctrl', async () => (await keys()).includes('keydown b ctrl'))
    expect(await keys()).not.toContain('keyup Control')
    await at('live-url').focus()
    await until('Ctrl to be up', async () => (await keys()).includes('keyup Control'))
    await intoField()
    await console.window.keyboard.press('c')
    await until('c without Ctrl', async () => (await keys()).includes('keydown c'))
  })

  test('keys that this computer would keep are sent from the menu', async () => {
    await clearField()
    for (const [id, name] of [
      ['f8', 'F8'],
      ['escape', 'Escape'],
      ['super', 'Meta'],
    ] as const) {
      await at('special-keys').click()
      await at(`key-${id}`).click()
      await until(name, async () => (await keys()).includes(`keydown ${name}`))
    }
    await at('special-keys').click()
    await at('key-ctrl-alt-del').click()
    await until('Ctrl Alt Del', async () => (await keys()).includes('keydown Delete ctrl'))
    await until('all of them up', async () => (await keys()).includes('keyup Control'))
  })

  test('the clipboards touch only when a person says so, either way', async () => {
    await clearField()
    await local('from the laptop ✓')
    await intoField()
    await at('clipboard').click()
    await at('menu-paste').click()
    await until('the pasted text', async () => (await field()) === 'from the laptop ✓')
    await page.evaluate(`document.getElementById('field').value = 'from the machine ✓'`)
    await intoField()
    await console.window.keyboard.press('Control+a')
    await console.window.keyboard.press('Control+c')
    await until('the machine’s own clipboard', async () => {
      return (await agent.client.call('desktop.getClipboard')).text === 'from the machine ✓'
    })
    expect(await local()).toBe('from the laptop ✓')
    await at('clipboard').click()
    await at('menu-copy').click()
    await until('the copied text', async () => (await local()) === 'from the machine ✓')
  })

  test('the navigation bar leads the page with the lease: address, back, forward, reload, tabs', async () => {
    const shown = (path: string) =>
      until(`${path} to be shown`, async () => (await at('live-url').inputValue()) === `${site}${path}`)
    const goTo = async (text: string) => {
      await at('live-url').click()
      await at('live-url').fill(text)
      await at('live-url').press('Enter')
    }
    await goTo('this is no address')
    await console.window.getByText('That is not an address').first().waitFor()
    await goTo(`${site.slice('http://'.length)}/second`)
    await shown('/second')
    await at('live-back').click()
    await shown('/typing')
    await at('live-forward').click()
    await shown('/second')
    await at('live-new-tab').click()
    const tabs = at('live-tabs').getByRole('button', { pressed: true })
    await tabs.waitFor()
    expect((await agent.client.call('tabs.list')).tabs).toHaveLength(2)
    await goTo(`${site}/third`)
    await shown('/third')
    await at('live-tabs').getByRole('button', { name: 'Close Third' }).click()
    await shown('/second')
    await goTo(`${site}/typing`)
    await shown('/typing')
    page.close()
    page = await until('the page over CDP', () =>
      findPage(chromiumAddress(agent.dataDir), (url) => url.endsWith('/typing')),
    )
    await page.evaluate('window.before = true')
    await at('live-reload').click()
    await until('a fresh page', () => page.evaluate<boolean>('window.before === undefined && "draw" in window'))
  })

  test('a page that does not come is given up, or another one is gone to, and nobody is told that it failed', async () => {
    const goTo = async (path: string) => {
      await at('live-url').click()
      await at('live-url').fill(`${site}${path}`)
      await at('live-url').press('Enter')
    }
    for (const path of ['/silent', '/endless']) {
      await goTo(path)
      await at('live-stop').click()
      await at('live-reload').waitFor()
    }
    await goTo('/silent')
    await at('live-stop').waitFor()
    await goTo('/typing')
    await until('the other page', async () => (await at('live-url').inputValue()) === `${site}/typing`)
    expect(await console.window.getByText('Going there failed').count()).toBe(0)
    page.close()
    page = await until('the page over CDP', () =>
      findPage(chromiumAddress(agent.dataDir), (url) => url.endsWith('/typing')),
    )
  })

  const scaling = async (name: string, look: () => Promise<unknown> = async () => {}) => {
    await at('view-menu').click()
    await console.window.getByRole('combobox', { name: 'Size' }).click()
    await console.window.getByRole('option', { name }).click()
    await look()
    await console.window.keyboard.press('Escape')
  }

  test('the display takes the size of the view, and its own size is shown when asked', async () => {
    const size = () => canvas.evaluate((element) => [element.clientWidth, (element as HTMLCanvasElement).width])
    await scaling('Resize the machine’s display')
    await until('the display to fit', async () => {
      const [shown, real] = await size()
      return shown === real && real !== 1280
    })
    await scaling('Fit the view')
    await agent.client.call('browser.status')
    await scaling('Actual size')
    await until('one to one', async () => {
      const [shown, real] = await size()
      return shown === real
    })
    await scaling('Fit the view')
  })

  test('latency, frames and data rate are shown on request', async () => {
    expect(await at('live-figures').count()).toBe(0)
    await at('view-menu').click()
    await at('view-figures').check()
    await console.window.keyboard.press('Escape')
    await intoField()
    await console.window.keyboard.type('x')
    await at('live-round-trip')
      .getByText(/^\d+ ms$/)
      .waitFor()
    await at('live-figures')
      .getByText(/key \d+ ms/)
      .waitFor()
    await at('live-figures')
      .getByText(/\d+ fps/)
      .waitFor()
  })

  test('quality is a choice, and reaches the picture', async () => {
    // What one change of the same patch of noise costs, whatever the time it takes.
    const perFrame = async () => {
      const text = await at('live-figures').innerText()
      const [, frames = '0'] = /(\d+) fps/.exec(text) ?? []
      const [, amount = '0', unit = ''] = /([\d.]+) ([kM]?)bit\/s/.exec(text) ?? []
      const bits = Number(amount) * ({ M: 1e6, k: 1e3 }[unit] ?? 1)
      return Number(frames) === 0 ? undefined : bits / Number(frames)
    }
    const choose = async (name: string) => {
      await at('view-menu').click()
      await console.window.getByRole('combobox', { name: 'Quality' }).click()
      await console.window.getByRole('option', { name, exact: true }).click()
      await console.window.keyboard.press('Escape')
    }
    // What rests for 50 ms is sent once more by the VNC server, without loss: that would cost the same at any quality.
    await page.evaluate('window.seed = 1; window.drawing = setInterval(() => draw(seed++), 25)')
    await choose('Best')
    await viewer('[data-quality=best]').waitFor()
    const best = await until('the cost at best', async () => {
      const cost = await perFrame()
      return cost !== undefined && cost > 10_000 ? cost : undefined
    })
    await choose('Least data')
    await viewer('[data-quality=least]').waitFor()
    await until('a much smaller picture', async () => ((await perFrame()) ?? best) < best / 2)
    await page.evaluate('clearInterval(drawing)')
    await choose('By the connection')
    await viewer('[data-quality=best]').waitFor()
  })

  test('a picture that breaks off stays, dimmed, and comes back by itself with the keyboard that it had', async () => {
    await clearField()
    await intoField()
    await whileAway(async () => {
      await at('live-notice').filter({ hasText: 'Reconnecting' }).waitFor()
      expect(await at('live-still').evaluate((still) => (still as HTMLCanvasElement).width)).toBeGreaterThan(0)
      // Meant for the machine: that it does not get there does not make it a key of the console, which would go to Logs.
      await console.window.keyboard.type('ml')
    })
    await keyboardInPicture()
    await console.window.keyboard.type('again')
    await until('keys after it', async () => (await field()) === 'again')
  })

  test('a picture that comes back takes the keyboard from nobody who types elsewhere', async () => {
    await clearField()
    await at('give-back').click()
    const note = console.window.getByRole('textbox', { name: 'Note for whoever comes next' })
    await note.click()
    await console.window.keyboard.type('half a ')
    await whileAway(() => console.window.keyboard.type('no'))
    await console.window.keyboard.type('te')
    expect(await note.inputValue()).toBe('half a note')
    await note.fill('')
    await console.window.keyboard.press('Escape')
    await at('live-url').click()
    await whileAway(async () => {})
    expect(await at('live-url').evaluate((input) => input === document.activeElement)).toBe(true)
    await console.window.keyboard.press('Escape')
    expect(await field()).toBe('')
  })

  test('no key is kept down while there is no picture to take it', async () => {
    await clearField()
    await at('special-keys').click()
    await whileAway(async () => {
      await at('keys-note').filter({ hasText: 'Not now' }).waitFor()
      expect(await at('hold-ctrl').getAttribute('aria-disabled')).toBe('true')
      await at('hold-ctrl').click({ force: true })
    })
    await at('keys-note').filter({ hasText: 'let go' }).waitFor()
    expect(await at('hold-ctrl').getAttribute('aria-pressed')).toBe('false')
    await at('hold-ctrl').click()
    await until('Ctrl to be down', async () => (await keys()).includes('keydown Control ctrl'))
    await at('hold-ctrl').click()
    await console.window.keyboard.press('Escape')
    await keyboardInPicture()
  })

  test('typing in the picture renews the lease', async () => {
    await intoField()
    const before = await ends()
    // Neither this window nor main speaks of it more than a few times a minute: both believe that a minute has passed.
    const later = () => {
      const clock = globalThis as unknown as { realNow?: () => number }
      const now = Date.now
      clock.realNow = now
      Date.now = () => now() + 60_000
    }
    await console.app.evaluate(later)
    await console.window.evaluate(() => {
      const now = performance.now.bind(performance)
      performance.now = () => now() + 60_000
    })
    await console.window.keyboard.press('x')
    await until('a later end', async () => (await ends()) > before)
    await console.app.evaluate(() => {
      const { realNow } = globalThis as unknown as { realNow?: () => number }
      if (realNow !== undefined) Date.now = realNow
    })
  })

  test('it fills the window and is left again, with picture and control as they were', async () => {
    const widths = async () => [
      (await viewer('').boundingBox())?.width,
      await console.window.evaluate(() => document.documentElement.clientWidth),
    ]
    await console.window.getByRole('button', { name: 'Full screen', exact: true }).click()
    await viewer('[data-filled][data-phase=live][data-mode=control]').waitFor()
    await until('the whole window', async () => {
      const [viewed, whole] = await widths()
      return viewed === whole
    })
    await clearField()
    await intoField()
    await console.window.keyboard.type('large')
    await until('keys in it', async () => (await field()) === 'large')
    await console.window.getByRole('button', { name: 'Leave full screen' }).click()
    await viewer(':not([data-filled])[data-phase=live][data-mode=control]').waitFor()
    const [viewed = 0, whole = 0] = await widths()
    expect(viewed).toBeLessThan(whole)
  })

  test('a screenshot is saved where the person says, and a recording is made', async () => {
    const file = path.join(console.tempDir, 'picture.png')
    await console.app.evaluate(({ dialog }, chosen) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen })
    }, file)
    await at('live-screenshot').click()
    await console.window.getByText('Screenshot saved').first().waitFor()
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG')
    await at('live-record').click()
    await at('recording').waitFor()
    await scaling('Resize the machine’s display', async () => {
      await console.window.getByText('The display keeps its size while it is recorded.').waitFor()
    })
    await scaling('Fit the view')
    await at('live-record').click()
    await console.window.getByText('Recording ended').first().waitFor()
    const { recordings } = await agent.client.call('desktop.listRecordings')
    expect(recordings.map(({ state }) => state)).toEqual(['done'])
  })

  test('a recording that begins or ends elsewhere is noticed, at the latest when it stands in the way', async () => {
    await agent.client.call('desktop.startRecording')
    await at('recording').waitFor()
    await agent.client.call('desktop.stopRecording')
    await at('recording').waitFor({ state: 'detached' })
    // A window that nobody sees does not look.
    await console.window.evaluate(() =>
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }),
    )
    await agent.client.call('desktop.startRecording')
    await at('live-record').click()
    await console.window.getByText('A recording runs already').first().waitFor()
    await at('recording').waitFor()
    await agent.client.call('desktop.stopRecording')
    await at('live-record').click()
    await console.window.getByText('No recording runs').first().waitFor()
    await at('recording').waitFor({ state: 'detached' })
    await console.window.evaluate(() => Reflect.deleteProperty(document, 'visibilityState'))
  })

  test('a give-back form closes with the control it is about, stays closed, and its note is kept until it is sent', async () => {
    const note = console.window.getByRole('textbox', { name: 'Note for whoever comes next' })
    const tab = (name: string) =>
      console.window.evaluate((hash) => {
        window.location.hash = hash
      }, `#/machine/${machine.id}/${name}`)
    const takeOver = async () => {
      await at('take-over').click()
      await viewer('[data-phase=live][data-mode=control]').waitFor()
    }
    await at('give-back').click()
    await note.fill('the code is in the mail')
    await invoke(console, 'takeover.giveBack', { machineId: machine.id, outcome: 'resolved', note: '' })
    await note.waitFor({ state: 'detached' })
    await takeOver()
    expect(await note.count()).toBe(0)
    await at('give-back').click()
    expect(await note.inputValue()).toBe('the code is in the mail')
    await console.window.getByText('It was not sent').waitFor()
    await tab('overview')
    await note.waitFor({ state: 'detached' })
    await tab('live')
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    expect(await note.count()).toBe(0)
    await at('give-back').click()
    expect(await note.inputValue()).toBe('the code is in the mail')
    await at('give-back-confirm').click()
    await lease('none').waitFor()
    await takeOver()
    await at('give-back').click()
    expect(await note.inputValue()).toBe('')
    await at('give-back-confirm').click()
    await lease('none').waitFor()
  })

  test('a lease that ends is warned about wherever one looks, in one window, and kept from there', async () => {
    const { id: machineId } = machine
    const looking = (place: string) =>
      console.window.evaluate((hash) => {
        window.location.hash = hash
      }, place)
    const opening = console.app.waitForEvent('window')
    await invoke(console, 'window.open', { machineId, tab: 'overview' })
    const second = await opening
    await second.getByTestId('health-check').waitFor()
    machine.shortLeases(8000)
    await at('take-over').click()
    await at('lease-short')
      .filter({ hasText: /Only 0:\d\d left/ })
      .waitFor()
    await looking('#/fleet')
    const before = await ends()
    const warned = () =>
      Promise.all(
        [console.window, second].map((page) => page.getByText(/Control of shop-1 ends within a minute/).count()),
      )
    // Each has it twice in the page: to be seen, and to be read out.
    await until('the warning in a window', async () => (await warned()).some((count) => count > 0))
    expect((await warned()).filter((count) => count > 0)).toHaveLength(1)
    const there = (await warned())[0] === 0 ? second : console.window
    await there.getByRole('button', { name: 'Keep control', includeHidden: true }).click()
    await until('a later end', async () => (await ends()) > before)
    await until('the warning to be gone', async () => (await warned()).every((count) => count === 0))
    await second.close()
    await looking(`#/machine/${machineId}/live`)
  })

  test('when control runs out nothing stays pressed, the picture goes on without it, and it is said', async () => {
    await invoke(console, 'takeover.stillHere', { machineId: machine.id, said: true })
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    const before = await ends()
    await at('keep-control').click()
    await until('a later end', async () => (await ends()) > before)
    await clearField()
    await intoField()
    await at('special-keys').click()
    await at('hold-shift').click()
    await until('Shift to be down', async () => (await keys()).includes('keydown Shift'))
    await until('Shift to be up', async () => (await keys()).includes('keyup Shift'))
    expect(await ends()).toBe('nobody has it')
    await viewer('[data-phase=live][data-mode=view]').waitFor()
    await lease('none').waitFor()
    await console.window.getByText('Control of shop-1 has run out').first().waitFor()
    expect(await at('special-keys').count()).toBe(0)
    await at('take-over').click()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    await until('it to be unsaid', async () => (await console.window.getByText('has run out').count()) === 0)
  })
})
