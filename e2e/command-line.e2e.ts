import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { contractVersion } from '../shared/contract/index.ts'
import { capabilityNames } from '../shared/contract/machine.ts'
import { agentEnv, startAgentProcess } from './rigs/agent-process.ts'
import { builtAgent, nodeProgram } from './rigs/built.ts'
import { freshFolder } from './rigs/folder.ts'
import { accepts, freePort } from './rigs/ports.ts'
import { isRunning, markedProcesses, processTree } from './rigs/processes.ts'
import { until } from './rigs/until.ts'

/** The agent's bundle with plain Node, as someone without the rest of the project runs it. */
let bundle = ''
let folder = ''
let remove = () => {}
const secret = randomBytes(32).toString('base64url')
beforeAll(async () => {
  bundle = await builtAgent()
})
beforeEach(() => {
  ;({ folder, remove } = freshFolder('cli'))
})
afterEach(() => remove())

function run(args: string[], env: Record<string, string> = {}) {
  const options = { env: agentEnv(folder, env), encoding: 'utf8', timeout: 20_000, input: '' } as const
  return spawnSync(nodeProgram, [bundle, ...args], options)
}

test('secret: a fresh one of at least 32 bytes each time', () => {
  const [first, second] = [run(['secret']), run(['secret'])]
  expect(first.status).toBe(0)
  expect(first.stdout).toMatch(/^[A-Za-z0-9_-]+\n$/)
  expect(Buffer.from(first.stdout.trim(), 'base64url').length).toBeGreaterThanOrEqual(32)
  expect(second.stdout).not.toBe(first.stdout)
})

test('doctor: says of every capability whether it is there, and shows no secret', () => {
  const { status, stdout, stderr } = run(['doctor'], { PILOTHOUSE_SECRET: secret })
  expect(status).toBe(0)
  for (const name of capabilityNames) expect(stdout).toMatch(new RegExp(`^ {2}[✓✗] ${name} `, 'm'))
  expect(stdout).toMatch(/✓ secret/)
  expect(stdout + stderr).not.toContain(secret)
})

test.each([
  ['no secret', {}, /no secret/i],
  ['a short secret', { PILOTHOUSE_SECRET: 'x'.repeat(31) }, /fewer than 32 bytes/],
  ['a wildcard address', { PILOTHOUSE_SECRET: secret, PILOTHOUSE_BIND: '0.0.0.0' }, /0\.0\.0\.0/],
  [
    'a wildcard IPv6 address',
    { PILOTHOUSE_SECRET: secret, PILOTHOUSE_BIND: '[::]:8000' },
    /PILOTHOUSE_ALLOW_PUBLIC_BIND/,
  ],
  ['a public address', { PILOTHOUSE_SECRET: secret, PILOTHOUSE_BIND: '192.0.2.7' }, /192\.0\.2\.7/],
  ['a port that is none', { PILOTHOUSE_SECRET: secret, PILOTHOUSE_PORT: '99999' }, /PILOTHOUSE_PORT/],
  ['nowhere to listen', { PILOTHOUSE_SECRET: secret, PILOTHOUSE_SOCKET: 'off' }, /nobody could reach/],
] as const)('serve with %s: does not start, and says why', (_name, env, reason) => {
  const { status, stdout, stderr } = run(['serve'], env)
  expect(status).toBeGreaterThan(0)
  expect(stderr).toMatch(reason)
  expect(stdout).toBe('')
  expect(stderr).not.toContain(secret)
  expect(existsSync(path.join(folder, 'agent.sock'))).toBe(false)
})

test('an unknown command: does nothing, and names the help', () => {
  const { status, stderr } = run(['sevre'])
  expect(status).toBeGreaterThan(0)
  expect(stderr).toMatch(/sevre.*help/)
})

test.each([
  [['install', 'browser', 'desktop', '--print-only', '--package-manager', 'apt'], /"install" takes no "desktop"/],
  [['install', 'browser', '--detach', '--print-only'], /"install" takes no "--detach"/],
  [['install', 'browsers', '--print-only'], /not "browsers"/],
  [['install', 'browser', '--print-only', '--package-manager', 'brew'], /apt, dnf, apk/],
  [['secret', '--print-only'], /"secret" takes no "--print-only"/],
  [['doctor', 'docker'], /"doctor" takes no "docker"/],
  [['serve', 'now'], /"serve" takes no "now"/],
  [['--yes'], /Without a command there is no "--yes"/],
  [['secret', '--no-such-option'], /--no-such-option/],
] as const)('%j: does nothing, and says what it does not take', (args, reason) => {
  const { status, stdout, stderr } = run([...args], { PILOTHOUSE_SECRET: secret })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(reason)
})

test('--version prints the version that the agent answers with, and nothing else', () => {
  const { status, stdout } = run(['--version'], {})
  expect([status, stdout]).toEqual([0, `${contractVersion}\n`])
})

test.each([[['help']], [['--help']], [['install', 'browser', '-h']], [[]]])('%j: lists every command', (args) => {
  const { status, stdout, stderr } = run(args)
  expect([status, stderr]).toEqual([0, ''])
  for (const command of ['serve', 'doctor', 'secret', 'install browser | desktop', 'install service']) {
    expect(stdout).toContain(`\n  ${command} `)
  }
})

describe('serve', () => {
  test('socket for the group only, and gone after a graceful end', async () => {
    const agent = await startAgentProcess()
    onTestFinished(agent.stop)
    expect(statSync(agent.socketPath).mode & 0o777).toBe(0o660)
    expect((await agent.client.call('machine.status')).agentId).not.toBe('')
    process.kill(agent.pid, 'SIGTERM')
    await until('its end', () => agent.program.exitCode !== undefined)
    expect(agent.program.exitCode).toBe(0)
    expect(existsSync(agent.socketPath)).toBe(false)
    expect(agent.program.output()).not.toContain(agent.secret)
  })

  test('a second agent on the same socket is refused, and the first goes on', async () => {
    const agent = await startAgentProcess()
    onTestFinished(agent.stop)
    const second = run(['serve'], { PILOTHOUSE_SECRET: secret, PILOTHOUSE_SOCKET: agent.socketPath })
    expect(second.status).toBeGreaterThan(0)
    expect(second.stderr).toMatch(/Another agent listens on/)
    expect((await agent.client.call('machine.health')).status).toBe('ok')
  })

  test('a second agent in the same folder is refused before it touches anything, and the first goes on', async () => {
    const agent = await startAgentProcess()
    onTestFinished(agent.stop)
    const terminal = await agent.client.open('terminal', { cols: 80, rows: 24 })
    const own = { PILOTHOUSE_DATA_DIR: agent.dataDir, PILOTHOUSE_SOCKET: path.join(folder, 'own.sock') }
    const second = run(['serve'], { PILOTHOUSE_SECRET: secret, ...own })
    expect(second.status).toBeGreaterThan(0)
    expect(second.stderr).toMatch(/Another agent uses .*Stop it, or set PILOTHOUSE_DATA_DIR/)
    const { entries } = await agent.client.call('audit.list', {})
    expect(entries.filter(({ result }) => result === 'unknown')).toEqual([])
    terminal.close()
    expect(await agent.client.call('machine.refreshSecrets')).toMatchObject({ success: true })
  })

  test('the secret is in no argument and no environment of what it starts', async () => {
    const agent = await startAgentProcess()
    onTestFinished(agent.stop)
    await agent.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
    const children = processTree(agent.pid).slice(1)
    expect(children.length).toBeGreaterThan(0)
    const knowing = markedProcesses(agent.secret).map(({ pid }) => pid)
    expect(knowing.filter((pid) => pid !== agent.pid)).toEqual([])
  })
})

describe('serve --detach --lifeline', () => {
  interface Ready {
    ready: boolean
    pid: number
    socketPath: string
    problem: string
  }

  function startDetached(env: Record<string, string>): { first: number; lifeline: Writable; line: Promise<Ready> } {
    const child = spawn(nodeProgram, [bundle, 'serve', '--detach', '--lifeline'], { env: agentEnv(folder, env) })
    const lifeline = child.stdin
    // Node would close it with the first process, which ends at once; the agent is the second.
    Object.assign(child, { stdin: null })
    onTestFinished(() => void lifeline.end())
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const line = until('the ready line', () => (text.includes('\n') ? (JSON.parse(text) as Ready) : undefined))
    return { first: child.pid ?? 0, lifeline, line }
  }

  test('says where it is, runs outside the tree, ends when the lifeline does', async () => {
    const { first, lifeline, line } = startDetached({ PILOTHOUSE_SECRET: secret })
    const ready = await line
    expect(ready).toMatchObject({ ready: true, socketPath: path.join(folder, 'agent.sock') })
    await until('the first process to end', () => !isRunning(first))
    expect(isRunning(ready.pid)).toBe(true)
    expect(processTree(process.pid).map(({ pid }) => pid)).not.toContain(ready.pid)
    expect(await accepts({ path: ready.socketPath })).toBe(true)
    lifeline.end()
    await until('the agent to end with its lifeline', () => !isRunning(ready.pid))
    expect(existsSync(ready.socketPath)).toBe(false)
  })

  test('what goes wrong is in the ready line', async () => {
    expect(await startDetached({}).line).toMatchObject({ ready: false, problem: expect.stringMatching(/no secret/i) })
  })

  test('a port that is taken is named', async () => {
    const port = await freePort()
    const agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
    onTestFinished(agent.stop)
    const { line } = startDetached({ PILOTHOUSE_SECRET: secret, PILOTHOUSE_PORT: String(port) })
    expect(await line).toMatchObject({ ready: false, problem: expect.stringContaining(`127.0.0.1:${port}`) })
  })
})
