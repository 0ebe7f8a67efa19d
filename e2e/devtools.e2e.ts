import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invoke } from './rigs/added-machine.ts'
import { type OpenedShop, openShop } from './rigs/opened-shop.ts'
import { processTree } from './rigs/processes.ts'
import { listeningSockets } from './rigs/sockets.ts'
import { until } from './rigs/until.ts'

/** Chromium's own front end on a real page; each test goes on where the one before ended. */
describe('full DevTools', () => {
  let opened: OpenedShop
  let console: OpenedShop['console']
  let agent: OpenedShop['agent']
  let machine: OpenedShop['machine']
  let site: string
  let at: OpenedShop['at']
  let lease: OpenedShop['lease']
  let devTools: Page
  /** Those of DevTools: the Inspector itself has one, too. */
  const clients = async () =>
    (await agent.client.call('cdp.clients')).clients.filter(({ name }) => name.includes('DevTools'))
  /** Closed shadow roots and all: what a person reads in the front end. */
  const shown = () =>
    devTools.evaluate(() => {
      const texts: string[] = []
      const walk = (node: Node) => {
        if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent ?? '')
        const root = (node as Element).shadowRoot
        for (const child of [...(root?.childNodes ?? []), ...node.childNodes]) walk(child)
      }
      walk(document.body)
      return texts.join('')
    })
  const elements = async () => {
    // It opens where it was left.
    await devTools.getByRole('tab', { name: 'Elements' }).first().click()
    await until('the page’s heading', async () => (await shown()).includes('Ten lemons for the price of nine'))
  }
  const note = () => devTools.locator('#pilothouse-note').textContent()

  beforeAll(async () => {
    opened = await openShop()
    ;({ console, agent, machine, site, at, lease } = opened)
  }, 180_000)
  afterAll(async () => {
    await opened?.stop()
  })

  test('opens in a window of its own and shows the page', async () => {
    const opening = console.app.waitForEvent('window')
    await at('open-devtools').click()
    devTools = await opening
    await until('the page’s heading', async () => (await shown()).includes('Ten lemons for the price of nine'))
    expect(await note()).toMatch(/^Watching only/)
    expect(await clients()).toMatchObject([{ role: 'observer', name: 'Ada: DevTools' }])
    expect(await invoke(console, 'devtools.open', { machineId: machine.id })).toEqual({ role: 'observer' })
    expect(console.app.windows()).toHaveLength(2)
  })

  test('the window is sealed: nothing of the console, no network, no way elsewhere', async () => {
    expect(devTools.url()).toMatch(/^devtools:\/\/devtools\/bundled\//)
    const tried = await devTools.evaluate(async (url) => {
      const failed = (error: unknown) => (error instanceof Error ? error.name : String(error))
      return {
        found: ['pilothouse', 'require', 'process', 'ipcRenderer', 'electron'].filter((name) => name in globalThis),
        fetched: await fetch(url).then(() => 'answered', failed),
        ours: await fetch('app://pilothouse/').then(() => 'answered', failed),
        socket: await Promise.resolve()
          .then(() => new WebSocket(url.replace('http', 'ws')) && 'made')
          .catch(failed),
        opened: window.open(url) !== null,
        camera: await navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'given', failed),
        clipboard: await navigator.clipboard.readText().then(() => 'given', failed),
      }
    }, site)
    expect(tried).toMatchObject({ found: [], fetched: 'TypeError', ours: 'TypeError', socket: 'SecurityError' })
    expect(tried).toMatchObject({ opened: false, clipboard: 'NotAllowedError' })
    expect(tried.camera).not.toBe('given')
    await devTools.evaluate((url) => {
      location.href = url
    }, site)
    const policies = await devTools.locator('meta[http-equiv=Content-Security-Policy]').count()
    expect(policies).toBe(2)
    const main = await console.app.evaluate(async ({ BrowserWindow, ipcMain }) => {
      const window = BrowserWindow.getAllWindows().find((one) => one.webContents.getURL().startsWith('devtools:'))
      if (window === undefined) throw new Error('there is no DevTools window')
      const contents = window.webContents as typeof window.webContents & {
        getLastWebPreferences(): Electron.WebPreferences
      }
      const { sandbox, contextIsolation, nodeIntegration, webviewTag } = contents.getLastWebPreferences()
      // Its preload gives the page no way to ask at all; this is what main would say if it had one.
      const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => unknown> })
        ._invokeHandlers
      const asked = handlers.get('pilothouse:invoke')
      const event = { sender: contents, senderFrame: contents.mainFrame }
      return {
        ...{ sandbox, contextIsolation, nodeIntegration, webviewTag, url: contents.getURL() },
        persistent: contents.session.isPersistent(),
        answer: await asked?.(event, 'fleet.list', {}),
      }
    })
    expect(main).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false })
    expect(main).toMatchObject({ persistent: false, answer: { ok: false, problem: { code: 'forbidden' } } })
    expect(main.url).toMatch(/^devtools:/)
    const own = processTree(console.pid).map(({ pid }) => pid)
    const listening = listeningSockets(own).filter(
      ({ address }) => !console.driverPorts.some((port) => address.endsWith(`:${port}`)) && !/Singleton/.test(address),
    )
    expect(listening).toEqual([])
  })

  test('an observer changes nothing; whoever takes over does; and the end of the lease is said', async () => {
    const titleOf = async () => (await agent.client.call('tabs.list')).tabs[0]?.title
    const enter = async (expression: string) => {
      await devTools.getByRole('tab', { name: 'Console' }).first().click()
      await until('the prompt', () => devTools.evaluate(() => document.activeElement !== document.body))
      await devTools.keyboard.type(expression)
      await devTools.keyboard.press('Enter')
    }
    const refused = async () => (await clients())[0]?.refused ?? 0
    const before = await refused()
    await enter('document.title = "observed"')
    await until('the refusal', async () => (await refused()) > before)
    await lease('take')
    await until('control in the window', async () => (await note())?.startsWith('You have control of shop-1'))
    await elements()
    expect(await clients()).toMatchObject([{ role: 'controller', name: 'Ada: DevTools' }])
    expect(await titleOf()).toBe('The shop')
    await enter('document.title = "by hand"')
    await until('the page to be changed', async () => (await titleOf()) === 'by hand')
    await lease('giveBack')
    await until('its end', async () => (await note())?.startsWith('Your control has ended. Watching only'))
    await elements()
    expect(await clients()).toMatchObject([{ role: 'observer' }])
  })

  test('work in the window keeps control, and its end is said before it comes', async () => {
    const ends = async () => (await agent.client.call('takeover.get')).lease?.expiresAt ?? ''
    machine.shortLeases(8000)
    await lease('take')
    await until('control in the window', async () => {
      // However long the front end takes to begin anew.
      await invoke(console, 'takeover.stillHere', { machineId: machine.id, said: true })
      return (await note())?.startsWith('You have control of shop-1')
    })
    const before = await ends()
    await until('the warning', async () => (await note())?.startsWith('Control of shop-1 ends within a minute'))
    await devTools.mouse.move(200, 200)
    await until('a later end', async () => (await ends()) > before)
    await until('it to be unsaid', async () => (await note())?.startsWith('You have control of shop-1'))
    await lease('giveBack')
    await until('its end', async () => (await note())?.startsWith('Your control has ended. Watching only'))
  })

  test('a line that is cut is said, and it goes on by itself, loaded anew once there is a line', async () => {
    await devTools.evaluate(() => Object.assign(window, { before: true }))
    machine.cut('')
    await until('the note', async () => (await note())?.startsWith('No connection to the page'))
    expect(await devTools.evaluate(() => 'before' in window)).toBe(true)
    machine.mend()
    await until('the line', async () => (await note())?.startsWith('Watching only'), 30_000)
    await elements()
    expect(await devTools.evaluate(() => 'before' in window)).toBe(false)
    await until('one client', async () => (await clients()).length === 1)
  })

  test('a tab that is closed is said; a window that is closed leaves nothing at the machine', async () => {
    const { id } = await agent.client.call('tabs.open', { url: `${site}/second` })
    const opening = console.app.waitForEvent('window')
    await invoke(console, 'devtools.open', { machineId: machine.id, targetId: id })
    const second = await opening
    await until('the second client', async () => (await clients()).length === 2)
    await agent.client.call('tabs.close', { id })
    await second.locator('#pilothouse-note').getByText('This page was closed').waitFor()
    await second.close()
    await devTools.close()
    await until('the client to be gone', async () => (await clients()).length === 0)
    expect(console.app.windows()).toHaveLength(1)
  })
})
