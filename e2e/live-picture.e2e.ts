import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LiveView, openLiveView } from './rigs/live-view.ts'
import { until } from './rigs/until.ts'

/** The picture under an operator’s control: its size, its cost, its breaks, what is kept of it. Each test goes on where the one before ended. */
describe('the picture of the live view', () => {
  let live: LiveView
  let console: LiveView['console']
  let agent: LiveView['agent']
  let machine: LiveView['machine']
  let at: LiveView['at']
  let canvas: LiveView['canvas']
  let viewer: LiveView['viewer']
  let field: LiveView['field']
  let clearField: LiveView['clearField']
  let keys: LiveView['keys']
  let intoField: LiveView['intoField']
  let keyboardInPicture: LiveView['keyboardInPicture']
  /** The picture breaks off, and comes back after what is done meanwhile. */
  const whileAway = async (task: () => Promise<unknown>) => {
    machine.cut('/ws/vnc')
    await viewer('[data-phase=reconnecting]').waitFor()
    await task()
    machine.mend()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
  }
  const scaling = async (name: string, look: () => Promise<unknown> = async () => {}) => {
    await at('view-menu').click()
    await console.window.getByRole('combobox', { name: 'Size' }).click()
    await console.window.getByRole('option', { name }).click()
    await look()
    await console.window.keyboard.press('Escape')
  }

  beforeAll(async () => {
    live = await openLiveView()
    ;({ console, agent, machine, at, canvas, viewer, field, clearField, keys, intoField, keyboardInPicture } = live)
    await live.takeOver()
  }, 180_000)
  afterAll(async () => {
    await live?.stop()
  })

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
    await live.page.evaluate('window.seed = 1; window.drawing = setInterval(() => draw(seed++), 25)')
    await choose('Best')
    await viewer('[data-quality=best]').waitFor()
    const best = await until('the cost at best', async () => {
      const cost = await perFrame()
      return cost !== undefined && cost > 10_000 ? cost : undefined
    })
    await choose('Least data')
    await viewer('[data-quality=least]').waitFor()
    await until('a much smaller picture', async () => ((await perFrame()) ?? best) < best / 2)
    await live.page.evaluate('clearInterval(drawing)')
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
    // And watched where it was made from.
    await console.window.getByRole('button', { name: 'Watch it', includeHidden: true }).click()
    await at('recording-video').waitFor()
    await console.window.evaluate(() => {
      location.hash = location.hash.replace(/inspector.*$/, 'live')
    })
    await viewer('[data-phase=live][data-mode=control]').waitFor()
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
})
