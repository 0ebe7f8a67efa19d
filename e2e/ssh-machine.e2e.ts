import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AgentProcess, startAgentProcess } from './rigs/agent-process.ts'
import { startConsole, type TestConsole } from './rigs/electron.ts'
import { freshFolder } from './rigs/folder.ts'
import { type Keychain, startKeychain } from './rigs/keychain.ts'
import { processTree } from './rigs/processes.ts'
import { runProgram } from './rigs/program.ts'
import { type Sshd, startSshd } from './rigs/sshd.ts'
import { until } from './rigs/until.ts'

const passphrase = `canary-${randomBytes(12).toString('hex')}`

/** A machine behind SSH, added by a person and then found again by the next run, which types nothing. */
describe('a machine behind SSH', () => {
  const { folder, remove } = freshFolder('sshe2e')
  const home = path.join(folder, 'home')
  const userData = path.join(folder, 'data')
  let agent: AgentProcess
  let sshd: Sshd
  let keychain: Keychain
  let console: TestConsole | undefined
  const start = async () => {
    const { XDG_RUNTIME_DIR, XDG_DATA_HOME, DBUS_SESSION_BUS_ADDRESS } = keychain.env
    const env = { HOME: home, XDG_RUNTIME_DIR, XDG_DATA_HOME, DBUS_SESSION_BUS_ADDRESS }
    console = await startConsole({ env, userData })
    return console.window
  }
  const link = (window: Page, name: string, state: string) =>
    window.locator(`[data-testid=chain] [data-link=${name}][data-state=${state}]`)

  beforeAll(async () => {
    for (const made of [home, userData, path.join(home, '.ssh')]) fs.mkdirSync(made, { mode: 0o700 })
    ;[agent, sshd, keychain] = await Promise.all([startAgentProcess(), startSshd(), startKeychain()])
    const key = path.join(home, '.ssh', 'id_work')
    await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'work', '-f', key])
    fs.writeFileSync(path.join(path.dirname(sshd.keyFile), 'authorized_keys'), fs.readFileSync(`${key}.pub`))
    fs.writeFileSync(
      path.join(home, '.ssh', 'config'),
      [
        'Host box',
        'HostName 127.0.0.1',
        `Port ${sshd.port}`,
        `User ${sshd.user}`,
        'IdentityFile ~/.ssh/id_work',
        '',
      ].join('\n'),
    )
  }, 120_000)
  afterEach(async () => {
    await console?.stop()
    console = undefined
  })
  afterAll(async () => {
    await keychain?.stop()
    await sshd?.stop()
    await agent?.stop()
    remove()
  })

  test('is tried, its host key compared, its key unlocked, and added', async () => {
    const window = await start()
    await window.getByRole('button', { name: 'Add a machine' }).first().click()
    await window.getByLabel('Reached by').click()
    await window.getByRole('option', { name: 'SSH' }).click()
    await window.getByTestId('machine-sshHost').fill('box')
    await window.getByTestId('machine-remote').fill(agent.socketPath)
    await window.getByTestId('machine-secret').fill(agent.secret)
    await window.getByTestId('machine-test').click()

    const print = await runProgram('ssh-keygen', ['-lf', path.join(path.dirname(sshd.keyFile), 'host_key.pub')])
    expect(await window.getByTestId('fingerprint').innerText()).toBe(print.split(' ')[1])
    await window.getByTestId('prompt-accept').click()
    await window.locator('[data-testid=prompt][data-kind=passphrase]').waitFor()
    await window.getByTestId('prompt-answer-0').fill(passphrase)
    await window.getByTestId('prompt-remember').check()
    await window.getByTestId('prompt-submit').click()
    const links = window.locator('[data-testid=tunnel-test] li')
    await until('the test to end', async () => (await links.count()) === 3)
    expect(await links.evaluateAll((items) => items.map((item) => item.getAttribute('data-state')))).toEqual([
      'up',
      'up',
      'up',
    ])

    await window.getByTestId('machine-name').fill('box')
    await window.getByTestId('machine-submit').click()
    await link(window, 'tunnel', 'up').waitFor()
    await link(window, 'agent', 'up').waitFor()
    expect(fs.readFileSync(path.join(home, '.ssh', 'known_hosts'), 'utf8')).toContain(sshd.hostKey)
  }, 120_000)

  test('is connected by the next run without a question, and no secret is in a window, a message or a file', async () => {
    const window = await start()
    const app = console?.app
    if (app === undefined) throw new Error('The console did not start.')
    const goToMachine = async () => {
      await window.getByText('box', { exact: true }).first().click()
      await window.keyboard.press('Enter')
      await link(window, 'agent', 'up').waitFor()
    }
    await goToMachine()

    // The far end falls silent while the laptop sleeps; the system's own notice of waking has it looked at at once.
    const logins = () => sshd.output().match(/Accepted publickey/g)?.length ?? 0
    const before = logins()
    const sessions = processTree(sshd.pid).filter(({ pid }) => pid !== sshd.pid)
    expect(sessions.length).toBeGreaterThan(0)
    for (const { pid } of sessions) process.kill(pid, 'SIGSTOP')
    const listeners = await app.evaluate(({ powerMonitor }) => {
      const count = powerMonitor.listenerCount('resume')
      powerMonitor.emit('resume')
      return count
    })
    expect(listeners).toBe(1)
    await until('a new connection', () => logins() > before, 60_000)
    for (const { pid } of sessions) process.kill(pid, 'SIGCONT')
    await link(window, 'agent', 'up').waitFor()

    await app.evaluate(({ ipcMain, webContents }) => {
      const messages: string[] = []
      Object.assign(globalThis, { messagesToWindows: messages })
      const handlers = (
        ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => Promise<unknown>> }
      )._invokeHandlers
      for (const [channel, handler] of handlers) {
        handlers.set(channel, async (...args) => {
          const answer = await handler(...args)
          messages.push(JSON.stringify(answer))
          return answer
        })
      }
      for (const contents of webContents.getAllWebContents()) {
        const send = contents.send.bind(contents)
        contents.send = (channel, ...args) => {
          messages.push(JSON.stringify(args))
          send(channel, ...args)
        }
      }
    })
    await window.reload()
    await link(window, 'agent', 'up').waitFor()
    expect(await window.getByTestId('prompt').count()).toBe(0)

    const secrets = [passphrase, agent.secret]
    const told = () => app.evaluate(() => (globalThis as unknown as { messagesToWindows: string[] }).messagesToWindows)
    // Answers and news go on coming: enough of both are looked through.
    await expect.poll(async () => (await told()).length, { timeout: 30_000 }).toBeGreaterThan(3)
    const messages = await told()
    expect(messages.some((message) => message.includes('"ssh"'))).toBe(true)
    const heap = await heapSnapshot(window)
    // What a window does know of this machine stands there: the search finds what is to be found.
    expect(heap.includes(agent.socketPath)).toBe(true)
    for (const secret of secrets) {
      expect(messages.some((message) => message.includes(secret))).toBe(false)
      expect(heap.includes(secret)).toBe(false)
    }
    await console?.stop()
    console = undefined
    const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.some(({ name }) => name.endsWith('.db'))).toBe(true)
    for (const { parentPath, name } of files) {
      const content = fs.readFileSync(path.join(parentPath, name))
      for (const secret of secrets) expect(content.includes(secret), path.join(parentPath, name)).toBe(false)
    }
  }, 120_000)

  test('shows that its host key has changed, and offers no way round', async () => {
    const line = `[127.0.0.1]:${sshd.port} ${fs.readFileSync(path.join(home, '.ssh', 'id_work.pub'), 'utf8')}`
    fs.writeFileSync(path.join(home, '.ssh', 'known_hosts'), line)
    const window = await start()
    await window.getByText('box', { exact: true }).first().click()
    await window.keyboard.press('Enter')
    const tunnel = link(window, 'tunnel', 'down')
    await tunnel.waitFor()
    expect(await tunnel.getAttribute('aria-label')).toContain('another ED25519 key than before')
    expect(await window.getByTestId('prompt').count()).toBe(0)
  }, 120_000)
})

async function heapSnapshot(window: Page): Promise<string> {
  const session = await window.context().newCDPSession(window)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return chunks.join('')
}
