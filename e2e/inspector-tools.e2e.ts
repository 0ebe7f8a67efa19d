import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddedMachine, addMachine, invoke } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { processTree } from './rigs/processes.ts'
import { listeningSockets } from './rigs/sockets.ts'
import { until } from './rigs/until.ts'

const page = `<!doctype html><title>The shop</title><h1 id="offer">Ten lemons for the price of nine</h1>
  <a href="/next">Next</a><script>localStorage.setItem('basket', 'lemons'); sessionStorage.setItem('step', '2')
    indexedDB.open('orders'); if (self.caches) caches.open('offline-v1')</script>`

/** The Inspector's tools on a real page; each test goes on where the one before ended. */
describe('the Inspector’s tools', () => {
  let console: TestConsole
  let agent: TestAgent
  let machine: AddedMachine
  let site: string
  let server: http.Server
  const at = (id: string) => console.window.getByTestId(id)
  const panel = async (name: string) => {
    await at(`tab-${name}`).click()
    await at(`${name}-panel`).waitFor()
  }
  const lease = async (on: 'take' | 'giveBack') => {
    if (on === 'take') await invoke(console, 'takeover.take', { machineId: machine.id, reason: '' })
    else await invoke(console, 'takeover.giveBack', { machineId: machine.id, outcome: 'resolved', note: '' })
    await console.window
      .locator(`[data-testid=inspector]${on === 'take' ? '[data-mine]' : ':not([data-mine])'}`)
      .waitFor()
  }
  const chooseFile = async (name: string) => {
    const file = path.join(console.tempDir, name)
    await console.app.evaluate(({ dialog }, chosen) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen })
    }, file)
    return file
  }
  const violations = async () =>
    (
      await new AxeBuilder({ page: console.window }).setLegacyMode().include('[data-testid=inspector]').analyze()
    ).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  /** Those of DevTools: the Inspector itself has one, too. */
  const clients = async () =>
    (await agent.client.call('cdp.clients')).clients.filter(({ name }) => name.includes('DevTools'))

  beforeAll(async () => {
    server = http.createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('set-cookie', 'session=canary-cookie; HttpOnly')
      response.end(page)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    agent = await startTestAgent()
    await agent.client.call('browser.start', { url: `${site}/`, width: 800, height: 600 }, { timeoutMs: 60_000 })
    console = await startConsole()
    machine = await addMachine(console, agent, 'shop-1')
    await invoke(console, 'settings.set', { operator: 'Ada' })
    await console.window.evaluate((id) => {
      window.location.hash = `#/machine/${id}/inspector`
    }, machine.id)
    await console.window.locator('[data-testid=inspector][data-phase=open]').waitFor()
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  })

  describe('full DevTools', () => {
    let devTools: Page
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
        ({ address }) =>
          !console.driverPorts.some((port) => address.endsWith(`:${port}`)) && !/Singleton/.test(address),
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

  describe('the panels', () => {
    test('storage: cookies without their values, until one has control; then they are changed', async () => {
      await panel('storage')
      const table = at('cookies-table')
      await table.getByText('session').waitFor()
      expect(await table.textContent()).not.toContain('canary-cookie')
      expect(await at('cookie-add').getAttribute('aria-disabled')).toBe('true')
      // Hidden means that the window does not have it, not that it does not show it.
      const listed = await invoke(console, 'agent.call', { machineId: machine.id, call: 'cookies.list', params: {} })
      expect(JSON.stringify(listed)).not.toContain('canary-cookie')
      expect(await violations()).toEqual([])
      await lease('take')
      await table.getByText('canary-cookie').waitFor()
      await at('cookie-edit-session').click()
      await at('cookie-value').fill('changed-by-hand')
      await at('cookie-save').click()
      await table.getByText('changed-by-hand').waitFor()
      await at('cookie-add').click()
      await at('cookie-name').fill('second')
      await at('cookie-save').click()
      await table.getByText('second').waitFor()
      const { cookies } = await agent.client.call('cookies.list')
      expect(cookies).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'session', value: 'changed-by-hand', domain: '127.0.0.1', httpOnly: true }),
          expect.objectContaining({ name: 'second', value: '' }),
        ]),
      )
      await at('cookie-delete-second').click()
      await at('confirm').click()
      await until('it to be gone', async () => (await agent.client.call('cookies.list')).cookies.length === 1)
    })

    test('storage: what the page keeps is read and changed with control, and closed without', async () => {
      await at('storage-local').click()
      const table = at('storage-table')
      await table.getByText('lemons').waitFor()
      await at('entry-edit-basket').click()
      await at('entry-value').fill('limes <img src=x onerror=alert(1)>')
      await at('entry-save').click()
      await table.getByText('limes <img').waitFor()
      await at('entry-add').click()
      await at('entry-key').fill('hand')
      await at('entry-value').fill('made')
      await at('entry-save').click()
      await table.getByText('made').waitFor()
      await at('entry-delete-hand').click()
      await table.getByText('made').waitFor({ state: 'detached' })
      await at('storage-session').click()
      await table.getByText('step').waitFor()
      await at('storage-databases').click()
      await table.getByText('orders').waitFor()
      await at('storage-caches').click()
      await table.getByText('offline-v1').waitFor()
      expect(await violations()).toEqual([])
      await lease('giveBack')
      await console.window.getByText('Control shows what pages keep').waitFor()
    })

    test('capture: pictures, texts and files of the page, shown first and saved when said', async () => {
      await panel('capture')
      const choose = async (name: string, option: string) => {
        await console.window.getByRole('combobox', { name }).click()
        await console.window.getByRole('option', { name: option, exact: true }).click()
      }
      const text = () => at('capture-text').textContent()
      await at('capture').click()
      const picture = at('capture-picture')
      await until('the picture', () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0))
      expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(800)
      await choose('Format', 'JPEG')
      await at('capture-selector').fill('#offer')
      await at('capture').click()
      await until('the heading alone', () =>
        picture.evaluate((image) => {
          const { naturalHeight } = image as HTMLImageElement
          return naturalHeight > 0 && naturalHeight < 200
        }),
      )
      const jpeg = await chooseFile('heading.jpg')
      await at('capture-save').click()
      await console.window.getByText(jpeg).first().waitFor()
      expect([...readFileSync(jpeg).subarray(0, 2)]).toEqual([0xff, 0xd8])
      await at('capture-selector').fill('#nowhere')
      await at('capture').click()
      await console.window.getByTestId('problem').getByText('not-found').waitFor()
      await at('capture-selector').fill('')
      for (const [what, expected] of [
        ['HTML', '<h1 id="offer">'],
        ['Markdown', '# Ten lemons for the price of nine'],
        ['Links', `Next\t${site}/next`],
        ['Accessibility text', 'heading "Ten lemons for the price of nine"'],
      ] as const) {
        await choose('What to capture', what)
        await at('capture').click()
        await until(`the ${what}`, async () => (await text())?.includes(expected))
      }
      expect(await violations()).toEqual([])
      await choose('What to capture', 'PDF')
      await at('capture').click()
      await console.window.getByText(/^A PDF of/).waitFor()
      const pdf = await chooseFile('page.pdf')
      await at('capture-save').click()
      await console.window.getByText(pdf).first().waitFor()
      expect(readFileSync(pdf).subarray(0, 5).toString()).toBe('%PDF-')
    })

    test('recordings: made, played from the machine with seeking, saved, deleted', async () => {
      await panel('recordings')
      await at('recording-toggle').click()
      await at('recordings-table').getByText('Recording', { exact: true }).waitFor()
      await until('a few seconds of film', async () => {
        const [film] = (await agent.client.call('desktop.listRecordings')).recordings
        return (film?.durationMs ?? 0) > 3000
      })
      await at('recording-toggle').click()
      await at('recordings-table').getByText('Done').first().waitFor()
      await at('recording-play').click()
      const video = at('recording-video')
      const state = () =>
        video.evaluate((element) => {
          const { videoWidth, currentTime, duration, src } = element as HTMLVideoElement
          return { videoWidth, currentTime, duration, src }
        })
      await until('it to play', async () => (await state()).currentTime > 0.3)
      const { videoWidth, duration, src } = await state()
      expect(videoWidth).toBe(800)
      expect(src).toMatch(/^app:\/\/pilothouse\/recording\/[0-9a-f-]{36}$/)
      const sought = await video.evaluate(async (element, to) => {
        const film = element as HTMLVideoElement
        film.pause()
        film.currentTime = to
        await new Promise((resolve) => film.addEventListener('seeked', resolve, { once: true }))
        return film.currentTime
      }, duration - 0.5)
      expect(sought).toBeCloseTo(duration - 0.5, 1)
      await video.evaluate((element) => {
        const film = element as HTMLVideoElement
        film.currentTime = 0.2
        void film.play()
      })
      await until('it to play on from there', async () => {
        const { currentTime } = await state()
        return currentTime > 0.4 && currentTime < duration - 0.6
      })
      expect(await violations()).toEqual([])
      const [film] = (await agent.client.call('desktop.listRecordings')).recordings
      const file = await chooseFile('film.mp4')
      await at('recording-save').click()
      await console.window.getByText(file).first().waitFor()
      expect(readFileSync(file).length).toBe(film?.sizeBytes)
      await at('recording-delete').click()
      await at('confirm').click()
      await console.window.getByText('No recordings').waitFor()
      const gone = await console.window.evaluate(async (url) => (await fetch(url)).status, src)
      expect(gone).toBe(404)
      const guessed = await console.window.evaluate(
        async () => (await fetch('app://pilothouse/recording/00000000-0000-4000-8000-000000000000')).status,
      )
      expect(guessed).toBe(404)
    })

    test('diagnostics: what runs, and who is connected, whom one can cut', async () => {
      await panel('diagnostics')
      await at('processes').getByText('chromium').first().waitFor()
      const { processes } = await agent.client.call('browser.status')
      for (const { pid } of processes) await at('processes').getByText(String(pid), { exact: true }).waitFor()
      await at('cdp-clients').getByText('Watches').first().waitFor()
      expect(await violations()).toEqual([])
      const before = (await agent.client.call('cdp.clients')).clients[0]?.id
      await at('cdp-cut').first().click()
      await at('confirm').click()
      await until('it to have been cut', async () => (await agent.client.call('cdp.clients')).clients[0]?.id !== before)
    })

    test('contexts: made, started with, refused in use, deleted by name; and the panels stay of use without a browser', async () => {
      await panel('contexts')
      await at('context-name').fill('fresh <b>one</b>')
      await at('context-create').click()
      const name = 'fresh <b>one</b>'
      const table = at('contexts-table')
      await table.getByText(name).waitFor()
      await at('context-delete-fresh <b>one</b>').waitFor()
      expect(await violations()).toEqual([])
      const made = (await agent.client.call('contexts.list')).contexts.find((one) => one.name === name)
      await at(`context-start-${name}`).click()
      await at('confirm').click()
      await until('the browser with it', async () => {
        const { state, contextId } = await agent.client.call('browser.status')
        return state === 'active' && contextId === made?.id
      })
      await table.getByText('In use').waitFor()
      expect(await at(`context-delete-${name}`).getAttribute('aria-disabled')).toBe('true')
      await agent.client.call('browser.stop')
      await until(
        'it to be free',
        async () => (await at(`context-delete-${name}`).getAttribute('aria-disabled')) === null,
      )
      await panel('diagnostics')
      await at('diagnostics-panel').getByText('Off', { exact: true }).waitFor()
      await panel('contexts')
      await at(`context-delete-${name}`).click()
      await at('confirm-name').fill(name)
      await at('confirm').click()
      await until('it to be gone', async () => {
        return !(await agent.client.call('contexts.list')).contexts.some(({ id }) => id === made?.id)
      })
    })
  })
})
