import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invoke } from './rigs/added-machine.ts'
import { type EngineConsole, patient, startEngineConsole } from './rigs/engine-console.ts'
import { until } from './rigs/until.ts'

/** What drives a browser, and how a person sees and changes it; each test goes on where the one before ended. */
describe('engines', () => {
  let started: EngineConsole
  let console: EngineConsole['console']
  let rig: EngineConsole['rig']
  let machine: EngineConsole['machine']
  let other: EngineConsole['other']
  let second: EngineConsole['second']
  let at: EngineConsole['at']
  let lease: EngineConsole['lease']
  let driver: EngineConsole['driver']
  let openLiveOf: EngineConsole['openLiveOf']
  let openLive: EngineConsole['openLive']
  const tool = async (entry: string) => {
    await at('engine-more').click()
    await at(`menu-${entry}`).click()
  }
  const callOn = (machineId: string, call: string, params: object) =>
    invoke(console, 'agent.call', { machineId, call, params })

  beforeAll(async () => {
    started = await startEngineConsole()
    ;({ console, rig, machine, other, second, at, lease, driver, openLiveOf, openLive } = started)
  }, 180_000)
  afterAll(async () => {
    await started?.stop()
  })

  test('a browser without a display is watched by its screencast, and typed into with control', async () => {
    await console.window.locator('[data-testid=browser-viewer][data-phase=live]').waitFor()
    // There is no display to resize, so nobody is offered to.
    await at('view-menu').click()
    await console.window.getByRole('combobox', { name: 'Size' }).click()
    expect(await console.window.getByRole('option').allInnerTexts()).toEqual(['Fit the view', 'Actual size'])
    for (let closed = 0; closed < 2; closed++) await console.window.keyboard.press('Escape')
    await at('take-over').click()
    await console.window.locator('[data-testid=browser-viewer][data-phase=live][data-mode=control]').waitFor()
    const page = await rig.page('/form')
    await page.evaluate(`document.querySelector('[name=name]').focus()`)
    await at('live-canvas').focus()
    await console.window.keyboard.type('Ж1 Ahoy')
    const written = (text: string) =>
      until(`"${text}"`, () => page.evaluate<boolean>(`document.querySelector('[name=name]').value === '${text}'`))
    await written('Ж1 Ahoy')
    // As Windows reports AltGr and Q of a German keyboard.
    await at('live-typing').evaluate((field) => {
      const altGr = { ctrlKey: true, altKey: true, modifierAltGraph: true, bubbles: true, cancelable: true }
      for (const type of ['keydown', 'keyup'])
        field.dispatchEvent(new KeyboardEvent(type, { key: '@', code: 'KeyQ', ...altGr }))
    })
    await written('Ж1 Ahoy@')
    // Without a display there is no clipboard either: text passes to the cursor of the page, and from its selection.
    const local = (text?: string) =>
      console.app.evaluate(({ clipboard }, text) => {
        if (text !== undefined) clipboard.writeText(text)
        return clipboard.readText()
      }, text)
    await page.evaluate(`document.querySelector('[name=name]').value = ''`)
    await local('from the laptop ✓')
    await at('clipboard').click()
    await at('menu-paste').click()
    await written('from the laptop ✓')
    await page.evaluate(`document.querySelector('[name=name]').setSelectionRange(5, 15)`)
    await at('clipboard').click()
    await at('menu-copy').click()
    await until('the copied text', async () => (await local()) === 'the laptop')
    // Fitted, there are bars above and below: a press there is nobody's. In its own size the picture is scrolled to.
    await page.evaluate(
      `window.presses = []; addEventListener('mousedown', (e) => presses.push(e.clientX + ' ' + e.clientY))`,
    )
    const presses = () => page.evaluate<string[]>('presses')
    const { x, y } = (await at('live-canvas').boundingBox()) ?? { x: 0, y: 0 }
    await console.window.mouse.click(x + 200, y + 2)
    await at('view-menu').click()
    await console.window.getByRole('combobox', { name: 'Size' }).click()
    await console.window.getByRole('option', { name: 'Actual size' }).click()
    for (let closed = 0; closed < 2; closed++) await console.window.keyboard.press('Escape')
    await until('one to one', () =>
      at('live-canvas').evaluate((canvas) => canvas.clientWidth === (canvas as HTMLCanvasElement).width),
    )
    for (const [left, top] of [
      [30, 300],
      [1200, 700],
    ] as const)
      await at('live-canvas').click({ position: { x: left, y: top } })
    await until('both presses', async () => (await presses()).length > 1)
    expect(await presses()).toEqual(['30 300', '1200 700'])
    await at('view-menu').click()
    await console.window.getByRole('combobox', { name: 'Size' }).click()
    await console.window.getByRole('option', { name: 'Fit the view' }).click()
    for (let closed = 0; closed < 2; closed++) await console.window.keyboard.press('Escape')
    page.close()
    await at('give-back').click()
    await at('give-back-confirm').click()
    await lease('none').waitFor()
  })

  test('an operator switches the engine, with a reason, and sees each step of it', async () => {
    await driver('none').waitFor()
    await at('engine-switch').click()
    await console.window.getByRole('combobox', { name: 'Engine' }).click()
    await console.window.getByRole('option', { name: /^Magnitude/ }).click()
    await at('switch-reason').fill('it does not see the form')
    await at('switch-submit').click()
    await driver('magnitude').waitFor()
    const { switches } = await rig.agent.client.call('engine.history')
    expect(switches[0]).toMatchObject({
      to: { engine: 'magnitude' },
      detail: 'it does not see the form',
      success: true,
    })
    await tool('engine-details')
    await at('engine-switches').getByText('it does not see the form').waitFor()
    for (const step of ['capture', 'connect', 'verify', 'resume'])
      await at('engine-switches').getByText(step, { exact: true }).first().waitFor()
  })

  test('an engine is pinned for a platform, and why it comes first is said', async () => {
    await console.window.getByRole('combobox', { name: 'Pin for lever' }).click()
    await console.window.getByRole('option', { name: 'Stagehand cua' }).click()
    await at('engine-orders').getByText('stagehand/cua is pinned for lever').waitFor()
    expect((await rig.agent.client.call('engine.config')).pins).toEqual({ lever: 'stagehand/cua' })
    await console.window.keyboard.press('Escape')
  })

  test('an engine is released by force only after a question', async () => {
    await tool('engine-force')
    await console.window.getByRole('button', { name: 'Release by force' }).click()
    await driver('none').waitFor()
    expect((await rig.agent.client.call('engine.get')).engine).toBe('none')
  })

  test('a change of engines stands in the timeline, and leads to Live', async () => {
    await console.window.evaluate((id) => {
      window.location.hash = `#/machine/${id}/timeline`
    }, machine.id)
    await at('timeline-search').fill('switched magnitude')
    await at('timeline-list')
      .locator('[data-row]')
      .filter({ hasText: /Switched from .* to magnitude/i })
      .first()
      .click()
    await at('timeline-open-live').click()
    await at('engine-card').waitFor()
  })

  test('the wall shows what the browser shows, while it is looked at, and leads to Live', async () => {
    await console.window.locator('body').press('g')
    await console.window.locator('body').press('l')
    const tile = at('wall-tile').filter({ hasText: 'jobs-1' })
    const drawn = () =>
      tile.locator('canvas').evaluate((canvas) => Number((canvas as HTMLCanvasElement).dataset['drawn'] ?? 0))
    await until('two pictures', async () => (await drawn()) >= 2)
    await tile.click()
    await console.window.locator('[data-testid=browser-viewer][data-phase=live]').waitFor()
  })

  test('how often each engine succeeded on a platform is told as the machine counted it', async () => {
    await rig.agent.client.call('engine.run', { instruction: 'click the button' }, patient)
    await tool('engine-details')
    const { engines } = await rig.agent.client.call('engine.stats')
    expect(engines.length).toBeGreaterThan(0)
    const rows = at('engine-rates').locator('tbody tr')
    expect(await rows.count()).toBe(engines.length)
    for (const [index, { platform, operations, successRate }] of engines.entries()) {
      const cells = await rows.nth(index).locator('td').allInnerTexts()
      expect([cells[0], cells[2], cells[3]]).toEqual([
        ...[platform, String(operations), `${Math.round(successRate * 100)} %`],
      ])
    }
    await console.window.keyboard.press('Escape')
  })

  test('going to another machine carries nothing over: neither control, nor picture, nor what was typed', async () => {
    await at('take-over').click()
    await lease('mine').waitFor()
    await openLiveOf(second.id)
    await console.window.locator('[data-testid=browser-viewer][data-phase=live][data-mode=view]').waitFor()
    await lease('none').waitFor()
    await expect(callOn(second.id, 'browser.navigate', { url: 'about:blank' })).rejects.toMatchObject({
      code: 'lease-gone',
    })
    await until('nobody to look at the first any more', async () => {
      const { viewers } = await rig.agent.client.call('takeover.get')
      return viewers === 0
    })
    expect((await other.client.call('takeover.get')).lease).toBeNull()
    await openLive()
    await lease('mine').waitFor()
    await at('give-back').click()
    await at('give-back-confirm').click()
    await lease('none').waitFor()
  })
})
