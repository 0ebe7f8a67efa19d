import { readFileSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { markedProcesses, processTree } from './rigs/processes.ts'
import { runProgram } from './rigs/program.ts'
import { type ReachableApp, reachableApp } from './rigs/reachable-app.ts'

/** The user that has nothing. */
const nobody = { uid: 65534, gid: 65534 }

/** Everyone but root runs the console with Chromium's sandbox; as root the other tests cannot. */
const noRun = await whyNot()

describe.skipIf(noRun !== undefined)(`as an ordinary user${noRun === undefined ? '' : ` (skipped: ${noRun})`}`, () => {
  let app: ReachableApp
  let console: TestConsole
  beforeAll(async () => {
    app = await reachableApp(nobody.uid, nobody.gid)
    console = await startConsole({
      as: nobody,
      appFolder: app.appFolder,
      electron: app.electron,
      env: { PILOTHOUSE_NODE: app.node },
    })
  }, 180_000)
  afterAll(async () => {
    await console?.stop()
    app?.remove()
  })

  test('the window opens, with the sandbox on', async () => {
    await console.window.getByTestId('try-local').waitFor()
    const tree = processTree(console.pid)
    expect(tree.filter(({ command }) => command.includes('--no-sandbox'))).toEqual([])
    for (const { pid } of tree) expect(status(pid, 'Uid')).toMatch(/^65534\b/)
    const renderer = tree.find(({ command }) => command.includes('--type=renderer'))?.pid ?? 0
    expect(status(renderer, 'Seccomp')).toBe('2')
    expect(readlinkSync(`/proc/${renderer}/ns/user`)).not.toBe(readlinkSync(`/proc/${console.pid}/ns/user`))
  })

  test('the first run leads to a live picture, and the browser in it has its sandbox as well', async () => {
    await console.window.getByTestId('try-local').click()
    await console.window.locator('[data-testid=browser-viewer][data-phase=live]').waitFor()
    const browser = markedProcesses(console.marker).filter(({ name }) => name === 'chromium')
    expect(browser.length).toBeGreaterThan(0)
    expect(browser.filter(({ command }) => command.includes('--no-sandbox'))).toEqual([])
    const renderer = browser.find(({ command }) => command.includes('--type=renderer'))?.pid ?? 0
    expect(status(renderer, 'Seccomp')).toBe('2')
  })
})

async function whyNot(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'the other tests run as an ordinary user already'
  const tried = ['--reuid=65534', '--regid=65534', '--clear-groups', 'unshare', '--user', '--map-root-user', 'true']
  return runProgram('setpriv', tried).then(
    () => undefined,
    () => 'this system gives ordinary users no namespaces',
  )
}

function status(pid: number, key: string): string {
  return new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
}
