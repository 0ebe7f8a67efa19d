import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AddedMachine, addMachine, invoke } from './rigs/added-machine.ts'
import { startTestAgent, type TestAgent } from './rigs/agent.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { type Keychain, startKeychain } from './rigs/keychain.ts'
import { until } from './rigs/until.ts'

/** The last picture of a machine outlives the console that showed it; each test goes on where the one before ended. */
describe('the last picture', () => {
  const { folder, remove } = freshFolder('last-picture')
  const userData = path.join(folder, 'data')
  const pictures = path.join(userData, 'last-pictures')
  let colour = 'red'
  const site = http.createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end(`<title>${colour}</title><body style="margin:0;background:${colour}">`)
  })
  let agent: TestAgent
  let keychain: Keychain
  let console: TestConsole
  let machine: AddedMachine
  const at = (id: string) => console.window.getByTestId(id)
  const start = async () => {
    console = await startConsole({ userData, env: keychain.env })
  }
  const look = (tab: string) =>
    console.window.evaluate((hash) => {
      window.location.hash = hash
    }, `#/machine/${machine.id}/${tab}`)
  const live = async () => {
    await look('live')
    await console.window.locator('[data-testid=browser-viewer][data-phase=live]').waitFor()
  }
  /** What stands in the lower half of a picture, where the page is and no bar of the browser's. */
  const shownIn = (testId: string) =>
    at(testId).evaluate((element) => {
      const still = element as HTMLCanvasElement
      if (still.width === 0) return 'nothing'
      const pixel = still.getContext('2d')?.getImageData(still.width / 2, still.height * 0.7, 1, 1).data ?? [0, 0, 0]
      const [red = 0, , blue = 0] = pixel
      return red > 200 && blue < 60 ? 'red' : blue > 200 && red < 60 ? 'blue' : `rgb ${[...pixel].join()}`
    })
  const files = () => (fs.existsSync(pictures) ? fs.readdirSync(pictures) : [])
  const showPage = async (next: string) => {
    colour = next
    const { port } = site.address() as AddressInfo
    await agent.client.call('browser.start', { url: `http://127.0.0.1:${port}/` }, { timeoutMs: 60_000 })
  }

  beforeAll(async () => {
    fs.mkdirSync(userData, { mode: 0o700 })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    ;[agent, keychain] = await Promise.all([startTestAgent(), startKeychain()])
    await Promise.all([start(), showPage('red')])
    machine = await addMachine(console, agent, 'shop-1')
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    await machine?.stop()
    await agent?.stop()
    await keychain?.stop()
    site.closeAllConnections()
    await new Promise((resolve) => site.close(resolve))
    remove()
  })

  test('a machine that went down while the console was closed has its panel over the picture of before, dimmed, with its age', async () => {
    await live()
    await until('the page to be in the picture', async () => (await shownIn('live-canvas')) === 'red')
    await console.stop()
    expect(files()).toHaveLength(1)
    await agent.client.call('browser.stop', {}, { timeoutMs: 60_000 })
    machine.cut('')
    await start()
    await look('live')
    await until('the panel', () => at('panel-verify').isVisible())
    await until('the picture of before', async () => (await shownIn('live-still')) === 'red')
    expect(await at('live-still').getAttribute('data-dimmed')).toBe('')
    await console.window.getByText(/The picture behind is from (\d+ (s|min) ago|just now)/).waitFor()
  })

  test('what a window shows when it is closed is what is there the next time, and nothing of it is readable on the disk', async () => {
    machine.mend()
    await showPage('blue')
    await invoke(console, 'fleet.verify', { machineId: machine.id })
    await live()
    await until('the new page to be in the picture', async () => (await shownIn('live-canvas')) === 'blue')
    const closed = console.app.waitForEvent('close')
    await console.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await closed
    await console.stop()
    machine.cut('')
    await start()
    await look('live')
    await until('the picture of the closed window', async () => (await shownIn('live-still')) === 'blue')
    const canary = await console.window.evaluate(async (machineId) => {
      const answer = await window.pilothouse.invoke('pictures.last', { machineId })
      if (!answer.ok) return []
      const { picture } = answer.value as { picture: { jpeg: Uint8Array } }
      return [...picture.jpeg]
    }, machine.id)
    expect(canary.length).toBeGreaterThan(500)
    const pieces = [0, 100, 400].map((from) => Buffer.from(canary.slice(from, from + 48)))
    await console.stop()
    const found = fs
      .readdirSync(userData, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
    expect(found.some((file) => file.startsWith(pictures))).toBe(true)
    for (const file of found) {
      const content = fs.readFileSync(file)
      expect(
        pieces.some((piece) => content.includes(piece)),
        file,
      ).toBe(false)
    }
    await start()
  })

  test('it is counted and cleared in the settings, its key with it, and goes with its machine', async () => {
    machine.mend()
    await invoke(console, 'fleet.verify', { machineId: machine.id })
    await at('nav-settings')
      .or(console.window.getByRole('button', { name: 'Settings' }))
      .first()
      .click()
    await at('settings-credentials').click()
    await at('credential-pictures').waitFor()
    await at('settings-data').click()
    await at('data-pictures')
      .getByText(/^1 picture, \d+/)
      .waitFor()
    await at('data-pictures').getByRole('button').click()
    await at('confirm').click()
    await at('data-pictures')
      .getByText(/^0 pictures/)
      .waitFor()
    expect(files()).toEqual([])
    await at('settings-credentials').click()
    await at('credential-agent').waitFor()
    expect(await at('credential-pictures').count()).toBe(0)
    await live()
    await look('overview')
    await until('the picture to be kept anew', () => files().length === 1)
    await invoke(console, 'fleet.remove', { machineId: machine.id })
    await until('the picture to be gone', () => files().length === 0)
  })
})
