import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AddedMachine, addMachine, invoke } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { typedKeys } from './rigs/typed-keys.ts'
import { until } from './rigs/until.ts'
import { pathWithWindowManager } from './rigs/window-manager.ts'

/** A machine's desktop in an operator's hands; each test goes on where the one before ended. */
describe('a desktop', () => {
  let console: TestConsole
  let agent: TestAgent
  let machine: AddedMachine
  const at = (id: string) => console.window.getByTestId(id)
  const viewer = (attributes: string) => console.window.locator(`[data-testid=browser-viewer]${attributes}`)
  const tab = (name: string) =>
    console.window.evaluate((hash) => {
      window.location.hash = hash
    }, `#/machine/${machine.id}/${name}`)

  beforeAll(async () => {
    agent = await startTestAgent()
    vi.stubEnv('PATH', pathWithWindowManager(agent.dataDir))
    console = await startConsole()
    machine = await addMachine(console, agent, 'desk-1')
    await invoke(console, 'settings.set', { operator: 'Ada' })
    await tab('live')
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    vi.unstubAllEnvs()
  })

  test('is offered where no browser runs, and is then the live picture, without an address', async () => {
    await at('panel-start-browser').waitFor()
    await at('start-desktop').click()
    await viewer('[data-phase=live][data-mode=view]').waitFor()
    expect((await agent.client.call('desktop.status')).state).toBe('active')
    await at('lease-bar').filter({ hasText: 'A desktop, without a browser' }).waitFor()
    expect(await at('live-url').count()).toBe(0)
    // Its figures stand elsewhere: there is no address beside which they could.
    await at('view-menu').click()
    await at('view-figures').check()
    await console.window.keyboard.press('Escape')
    await at('live-figures').getByText(/fps/).waitFor()
    expect(await at('live-canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).width)).toBe(1280)
  })

  test('has no page to look into, and says what stands in the way of one', async () => {
    await tab('inspector')
    await at('state-panel').filter({ hasText: 'The machine shows a desktop' }).waitFor()
    expect(await at('panel-start-browser').count()).toBe(0)
    await tab('live')
    await viewer('[data-phase=live]').waitFor()
  })

  test('is taken over: keys and letters of any script reach it, and the clipboards touch when asked to', async () => {
    await at('take-over').click()
    await viewer('[data-phase=live][data-mode=control]').waitFor()
    const typed = await typedKeys(agent)
    await at('live-canvas').click()
    await console.window.keyboard.type('aß字')
    await until('the letters', () => ['a', 'ß', '字'].every((letter) => typed.letters().includes(letter)))
    typed.close()
    await console.app.evaluate(({ clipboard }) => clipboard.writeText('for the desktop'))
    await at('clipboard').click()
    await at('menu-put').click()
    await until(
      'the clipboard',
      async () => (await agent.client.call('desktop.getClipboard')).text === 'for the desktop',
    )
  })

  test('is recorded like a browser', async () => {
    await at('live-record').click()
    await at('recording').waitFor()
    await at('live-record').click()
    await at('recording').waitFor({ state: 'detached' })
    expect((await agent.client.call('desktop.listRecordings')).recordings.map(({ state }) => state)).toEqual(['done'])
  })

  test('is recorded from the Inspector as well', async () => {
    await tab('inspector')
    await at('tab-recordings').click()
    await at('recording-toggle').filter({ hasText: 'Record the display' }).click()
    await at('recording-toggle').filter({ hasText: 'Stop recording' }).click()
    await at('recording-toggle').filter({ hasText: 'Record the display' }).waitFor()
    expect((await agent.client.call('desktop.listRecordings')).recordings.map(({ state }) => state)).toEqual([
      'done',
      'done',
    ])
    await tab('live')
    await viewer('[data-phase=live]').waitFor()
  })

  test('that breaks says so and leaves both ways on; stopped by hand it asks first, and a browser can follow', async () => {
    const [server] = (await agent.client.call('desktop.status')).processes
    process.kill(server?.pid ?? 0, 'SIGKILL')
    await at('state-panel').filter({ hasText: 'The desktop failed' }).filter({ hasText: 'SIGKILL' }).waitFor()
    await at('start-desktop').click()
    await viewer('[data-phase=live]').waitFor()
    await at('stop-desktop').click()
    await at('confirm').click()
    await at('state-panel').filter({ hasText: 'The browser is off' }).waitFor()
    await at('panel-start-browser').click()
    await viewer('[data-phase=live]').waitFor()
    await at('live-url').waitFor()
    expect(await at('stop-desktop').count()).toBe(0)
  })
})
