import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from './rigs/built.ts'
import { type CdpPage, chromiumAddress, findPage } from './rigs/cdp-page.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { agentSockets, type LocalAgentAccess, localAgentOf } from './rigs/local-agent.ts'
import { accepts } from './rigs/ports.ts'
import { describeProcesses, markedProcesses, processTree } from './rigs/processes.ts'
import { type ListeningSocket, listeningSockets } from './rigs/sockets.ts'
import { until } from './rigs/until.ts'
import { openViewer } from './rigs/vnc-viewer.ts'

const welcome = readFileSync(path.join(projectRoot, 'resources', 'demo', 'welcome.html'), 'utf8')
const headerColour = /header \{ background: (#[0-9a-f]{6})/.exec(welcome)?.[1] ?? ''

/** A newcomer's first minute, in the order it happens: each test goes on where the one before ended. */
describe('the first run', () => {
  let console: TestConsole
  let agent: LocalAgentAccess
  let page: CdpPage
  let canvas: Locator
  const nameField = () => page.evaluate<string>(`document.getElementById('name').value`)
  const lease = (state: string) => console.window.locator(`[data-testid=lease-bar][data-lease=${state}]`)
  const inControl = async (mode: 'control' | 'view') =>
    console.window.locator(`[data-testid=browser-viewer][data-phase=live][data-mode=${mode}]`).waitFor()

  beforeAll(async () => {
    console = await startConsole()
  }, 120_000)
  afterAll(async () => {
    page?.close()
    agent?.client.close()
    await console?.stop()
  })

  test('one button leads to a live picture of a real page', async () => {
    await console.window.getByTestId('try-local').click()
    canvas = console.window.getByTestId('live-canvas')
    await canvas.waitFor()
    expect(headerColour).not.toBe('')
    await until('the header of the page in the picture', async () => {
      return distance(await pixel(canvas, { x: 0.9, y: 0.05 }), headerColour) < 24
    })
    await inControl('view')
    agent = await localAgentOf(console)
    page = await until('the page over CDP', () =>
      findPage(chromiumAddress(agent.dataDir), (url) => url.startsWith('data:')),
    )
    expect(await nameField()).toBe('')
  })

  test('the console itself listens on nothing', async () => {
    const tree = processTree(console.pid)
    expect(tree.some(({ command }) => command.includes('--type=renderer'))).toBe(true)
    expect(tree.map(({ pid }) => pid)).not.toContain(agent.pid)
    expect(unexplained(listeningSockets(tree.map(({ pid }) => pid)), console.driverPorts)).toEqual([])
  })

  test('what a viewer types reaches nobody; what the one in control types reaches the page', async () => {
    await canvas.click({ position: await centreOfNameField(page, canvas) })
    await console.window.keyboard.type('12')
    const viewer = await openViewer(agent.client)
    viewer.type('34')
    await viewer.roundTrip()

    await console.window.getByTestId('take-over').click()
    await lease('mine').waitFor()
    await inControl('control')
    viewer.type('56')
    await viewer.roundTrip()
    viewer.close()
    await canvas.click({ position: await centreOfNameField(page, canvas) })
    await console.window.keyboard.type('Ahoy 7')
    // Keys that came earlier would stand before these: one way, one order.
    await until('the keys in the page', async () => (await nameField()).endsWith('7'))
    expect(await nameField()).toBe('Ahoy 7')
    expect((await agent.client.call('takeover.get')).lease).not.toBeNull()
  })

  test('after giving back nothing arrives any more', async () => {
    await console.window.getByTestId('give-back').click()
    await console.window.getByTestId('give-back-confirm').click()
    await lease('none').waitFor()
    await inControl('view')
    expect((await agent.client.call('takeover.get')).lease).toBeNull()
    await canvas.click({ position: await centreOfNameField(page, canvas) })
    await console.window.keyboard.type('89')

    await console.window.getByTestId('take-over').click()
    await inControl('control')
    await canvas.click({ position: await centreOfNameField(page, canvas) })
    await console.window.keyboard.press('End')
    await console.window.keyboard.type('!')
    await until('the last key', async () => (await nameField()).endsWith('!'))
    expect(await nameField()).toBe('Ahoy 7!')
  })

  test('the record of the machine tells who took it and gave it back', async () => {
    const { entries } = await agent.client.call('audit.list')
    // What the console tells of its own audit's end is not the person's doing.
    const done = entries.filter(({ action }) => action !== 'audit_echo')
    const actions = done.map(({ action, result }) => `${action} ${result}`).reverse()
    expect(actions).toEqual(['browser_start success', 'takeover success', 'hand_back success', 'takeover success'])
    expect((await agent.client.call('audit.verify')).sound).toBe(true)
  })

  test('quitting leaves no process, no port and no socket', async () => {
    const everything = markedProcesses(console.marker)
    const sockets = listeningSockets(everything.map(({ pid }) => pid))
    expect(everything.map(({ name }) => name)).toContain('Xvnc')
    page.close()
    agent.client.close()
    await console.app.close()
    expect(describeProcesses(markedProcesses(console.marker))).toBe('')
    for (const socket of sockets) expect(await isOpen(socket), JSON.stringify(socket)).toBe(false)
    expect(readdirSync(console.tempDir).filter((name) => name.startsWith('pilothouse-'))).toEqual([])
  })
})

test('a console that is killed takes its agent, browser and display with it', async () => {
  const console = await startConsole()
  try {
    await console.window.getByTestId('try-local').click()
    await console.window.getByTestId('live-canvas').waitFor()
    const agent = await localAgentOf(console)
    agent.client.close()
    const names = markedProcesses(console.marker).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Xvnc', 'chromium']))
    const sockets = listeningSockets(markedProcesses(console.marker).map(({ pid }) => pid))
    process.kill(console.pid, 'SIGKILL')
    await until('everything to end', () => markedProcesses(console.marker).length === 0, 10_000).catch((error) => {
      throw new Error(describeProcesses(markedProcesses(console.marker)), { cause: error })
    })
    for (const socket of sockets) expect(await isOpen(socket), JSON.stringify(socket)).toBe(false)
    expect(agentSockets(console.tempDir)).toEqual([])
  } finally {
    await console.stop()
  }
}, 120_000)

/** What remains after the driver's own ports and the lock by which Chromium finds a second instance. */
function unexplained(found: readonly ListeningSocket[], driverPorts: readonly number[]): ListeningSocket[] {
  return found.filter(({ kind, address }) => {
    if (kind === 'tcp') return !driverPorts.includes(Number(address.split(':').at(-1)))
    return !(kind === 'unix' && address.endsWith('/SingletonSocket'))
  })
}

async function isOpen({ kind, address }: ListeningSocket): Promise<boolean> {
  if (kind === 'tcp') return accepts({ port: Number(address.split(':').at(-1)) })
  return kind === 'unix' && address.startsWith('/') && (await accepts({ path: address }))
}

/** The colour at a place of the picture, given as a share of its width and height. */
function pixel(canvas: Locator, at: { x: number; y: number }): Promise<string> {
  return canvas.evaluate((element, { x, y }) => {
    const picture = element as HTMLCanvasElement
    const data = picture.getContext('2d')?.getImageData(picture.width * x, picture.height * y, 1, 1).data ?? []
    return `#${[...data.slice(0, 3)].map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }, at)
}

/** How far two colours are apart at most in one part: the picture may come as JPEG. */
function distance(one: string, other: string): number {
  const parts = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  const theirs = parts(other)
  return Math.max(...parts(one).map((part, index) => Math.abs(part - (theirs[index] ?? 0))))
}

/** Where on the canvas the page's first field is: the page fills the display, the canvas shows it scaled. */
async function centreOfNameField(page: CdpPage, canvas: Locator): Promise<{ x: number; y: number }> {
  const field = await page.evaluate<{ x: number; y: number }>(`(() => {
    const { x, y, width, height } = document.getElementById('name').getBoundingClientRect()
    return { x: (x + width / 2) / innerWidth, y: (y + height / 2) / innerHeight }
  })()`)
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('The canvas is not shown.')
  return { x: field.x * box.width, y: field.y * box.height }
}
