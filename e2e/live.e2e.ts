import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invoke } from './rigs/added-machine.ts'
import { type LiveView, openLiveView } from './rigs/live-view.ts'
import { until } from './rigs/until.ts'
import { openViewer } from './rigs/vnc-viewer.ts'

/** The live view in an operator’s hands, and for how long it is; each test goes on where the one before ended. */
describe('the live view', () => {
  let live: LiveView
  let console: LiveView['console']
  let agent: LiveView['agent']
  let machine: LiveView['machine']
  let site: LiveView['site']
  let at: LiveView['at']
  let viewer: LiveView['viewer']
  let lease: LiveView['lease']
  let field: LiveView['field']
  let clearField: LiveView['clearField']
  let keys: LiveView['keys']
  let intoField: LiveView['intoField']
  let keyboardInPicture: LiveView['keyboardInPicture']
  let takeOver: LiveView['takeOver']
  const ends = async () => (await agent.client.call('takeover.get')).lease?.expiresAt ?? 'nobody has it'
  const local = (text?: string) =>
    console.app.evaluate(async ({ clipboard }, given) => {
      if (given !== undefined) await clipboard.writeText(given)
      return clipboard.readText()
    }, text)

  beforeAll(async () => {
    live = await openLiveView()
    ;({
      console,
      agent,
      machine,
      site,
      at,
      viewer,
      lease,
      field,
      clearField,
      keys,
      intoField,
      keyboardInPicture,
      takeOver,
    } = live)
  }, 180_000)
  afterAll(async () => {
    await live?.stop()
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

  test('in the smallest window, enlarged by half, nothing that takes or gives back control is out of reach', async () => {
    const zoom = (factor: number, width: number, height: number) =>
      console.app.evaluate(
        ({ BrowserWindow }, [by, ...size]) => {
          const [window] = BrowserWindow.getAllWindows()
          window?.setContentSize(size[0] ?? 0, size[1] ?? 0)
          window?.webContents.setZoomFactor(by ?? 1)
        },
        [factor, width, height],
      )
    const inReach = (testId: string) =>
      at(testId).evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const inside = left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight
        return inside && element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
      })
    await zoom(1.5, 1024, 700)
    await until('the small page', () => console.window.evaluate(() => window.innerWidth < 700))
    await until('the way to control', () => inReach('take-over'))
    await takeOver()
    for (const testId of ['give-back', 'special-keys', 'clipboard', 'live-url', 'health-check', 'open-palette'])
      await until(testId, () => inReach(testId))
    await zoom(1, 1440, 900)
    await at('give-back').click()
    await at('give-back-confirm').click()
    await lease('none').waitFor()
  })

  test('letters of any script arrive, those of the keyboard and those an input method composes', async () => {
    await takeOver()
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

  test('Ctrl works on a keyboard of another script, also when it is kept down by the menu', async () => {
    await clearField()
    await intoField()
    await console.window.keyboard.type('copy')
    const keyboard = await console.window.context().newCDPSession(console.window)
    /** As a Cyrillic layout has it. */
    const press = async (key: string, code: string, keyCode: number, modifiers: number) => {
      for (const type of ['rawKeyDown', 'keyUp'] as const)
        await keyboard.send('Input.dispatchKeyEvent', { type, key, code, windowsVirtualKeyCode: keyCode, modifiers })
    }
    await console.window.keyboard.down('Control')
    for (const [key, code, keyCode] of [
      ['ф', 'KeyA', 65],
      ['с', 'KeyC', 67],
      ['м', 'KeyV', 86],
      ['м', 'KeyV', 86],
    ] as const)
      await press(key, code, keyCode, 2)
    await console.window.keyboard.up('Control')
    await until('it twice', async () => (await field()) === 'copycopy')
    await at('special-keys').click()
    await at('hold-ctrl').click()
    await console.window.keyboard.press('Escape')
    await keyboardInPicture()
    await press('ф', 'KeyA', 65, 0)
    await press('ч', 'KeyX', 88, 0)
    await until('nothing', async () => (await field()) === '')
    await at('live-url').focus()
    await keyboard.detach()
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
    await live.page.evaluate(`document.getElementById('field').value = 'from the machine ✓'`)
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
    await live.findPage()
    await live.page.evaluate('window.before = true')
    await at('live-reload').click()
    await until('a fresh page', () => live.page.evaluate<boolean>('window.before === undefined && "draw" in window'))
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
    await live.findPage()
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

  test('a give-back form closes with the control it is about, stays closed, and its note is kept until it is sent', async () => {
    const note = console.window.getByRole('textbox', { name: 'Note for whoever comes next' })
    const tab = (name: string) =>
      console.window.evaluate((hash) => {
        window.location.hash = hash
      }, `#/machine/${machine.id}/${name}`)
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
    await takeOver()
    await until('it to be unsaid', async () => (await console.window.getByText('has run out').count()) === 0)
  })
})
