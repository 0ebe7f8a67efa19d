import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LocalAgent } from './local-agent.ts'
import { isAlive } from './process.ts'

/** A program that keeps to the agent's side of the bargain: leaves the tree, holds the lifeline, says ready. */
const standIn = `
import { spawn } from 'node:child_process'
import fs from 'node:fs'
const [mode] = [process.env.STAND_IN ?? 'ok']
if (process.argv.includes('--detach')) {
  const child = spawn(process.execPath, [process.argv[1], 'inner'], { detached: true, stdio: ['inherit', 'inherit', 'inherit'] })
  child.unref()
  process.exit(0)
}
if (mode === 'refuses') { console.log(JSON.stringify({ ready: false, problem: 'The secret is too short.' })); process.exit(1) }
if (mode === 'babbles') console.log('hello')
if (mode === 'silent') setTimeout(() => process.exit(0), 30000)
process.stdin.resume()
process.stdin.on('end', () => { if (mode !== 'stubborn') process.exit(0) })
process.stderr.write('seen ' + Object.keys(process.env).filter((k) => /^(ELECTRON|PILOTHOUSE)_/.test(k)).sort().join() + '\\n')
fs.writeFileSync(process.env.PILOTHOUSE_SOCKET, '')
if (mode === 'ok' || mode === 'stubborn')
  console.log(JSON.stringify({ ready: true, pid: process.pid, socketPath: process.env.PILOTHOUSE_SOCKET, port: null, agentId: 'a1' }))
setInterval(() => {}, 1000)
`
let folder = ''
let script = ''
const agents: LocalAgent[] = []
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-test-'))
  script = path.join(folder, 'agent.mjs')
  fs.writeFileSync(script, standIn)
})
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

function options(mode: string) {
  return {
    node: process.execPath,
    script,
    dataDir: path.join(folder, 'data'),
    logFile: path.join(folder, 'logs', 'agent.log'),
    env: { ...process.env, STAND_IN: mode, ELECTRON_RUN_AS_NODE: '1' },
    startLimitMs: 5000,
    stopLimitMs: 1000,
  }
}
function make(mode: string): LocalAgent {
  const agent = new LocalAgent(options(mode))
  agents.push(agent)
  return agent
}

test('starts once, in a private folder, without the environment of Electron, and ends with stop', async () => {
  const agent = make('ok')
  const [first, second] = await Promise.all([agent.start('s'.repeat(43)), agent.start('s'.repeat(43))])
  expect(second).toBe(first)
  expect(isAlive(first.pid)).toBe(true)
  expect(fs.statSync(path.dirname(first.socketPath)).mode & 0o777).toBe(0o700)
  expect(first.socketPath.length).toBeLessThan(100)
  const log = path.join(folder, 'logs', 'agent.log')
  await vi.waitFor(() => expect(fs.readFileSync(log, 'utf8')).toContain('PILOTHOUSE_SECRET'))
  expect(fs.readFileSync(log, 'utf8')).not.toContain('ELECTRON_')
  await agent.stop()
  expect(isAlive(first.pid)).toBe(false)
  expect(fs.existsSync(path.dirname(first.socketPath))).toBe(false)
  expect(agent.running).toBeUndefined()
})

test('an agent that does not end by itself is killed by its id', async () => {
  const agent = make('stubborn')
  const { pid } = await agent.start('s'.repeat(43))
  await agent.stop()
  expect(isAlive(pid)).toBe(false)
})

test('its end is noticed', async () => {
  const agent = make('ok')
  const { pid } = await agent.start('s'.repeat(43))
  const ended = new Promise<void>((resolve) => {
    agent.onUnexpectedEnd = resolve
  })
  process.kill(pid, 'SIGKILL')
  await ended
  expect(agent.running).toBeUndefined()
})

test('a console that is killed leaves no agent', async () => {
  const runner = path.join(folder, 'console.ts')
  fs.writeFileSync(
    runner,
    `import { LocalAgent } from ${JSON.stringify(path.join(import.meta.dirname, 'local-agent.ts'))}
const agent = new LocalAgent(${JSON.stringify(options('ok'))})
console.log((await agent.start('s'.repeat(43))).pid)`,
  )
  const child = spawn(process.execPath, [runner], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  expect(isAlive(pid)).toBe(true)
  child.kill('SIGKILL')
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 })
})

test.runIf(process.platform === 'linux')(
  'the agent gets none of the descriptors that the console has open',
  async () => {
    const runner = path.join(folder, 'console.ts')
    fs.writeFileSync(path.join(folder, 'precious'), '')
    fs.writeFileSync(
      runner,
      `import { LocalAgent } from ${JSON.stringify(path.join(import.meta.dirname, 'local-agent.ts'))}
const agent = new LocalAgent(${JSON.stringify(options('ok'))})
console.log((await agent.start('s'.repeat(43))).pid)
setInterval(() => {}, 1000)`,
    )
    // Beyond a gap in the numbers Node does not find what it was given, and leaves it open for its children.
    const child = spawn(
      'bash',
      ['-c', 'exec 57<"$1"; exec "$2" "$3"', 'bash', path.join(folder, 'precious'), process.execPath, runner],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TMPDIR: folder },
      },
    )
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const open = (pid: number | undefined) =>
      fs.readdirSync(`/proc/${pid}/fd`).map((name) => fs.readlinkSync(`/proc/${pid}/fd/${name}`))
    try {
      expect(open(child.pid)).toContain(path.join(folder, 'precious'))
      expect(open(Number(line.toString()))).not.toContain(path.join(folder, 'precious'))
    } finally {
      child.kill('SIGKILL')
      await vi.waitFor(() => expect(isAlive(Number(line.toString()))).toBe(false), { timeout: 10_000 })
    }
  },
)

test('the socket folder that a killed console left is removed by the next start', async () => {
  const left = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-'))
  const foreign = path.join(folder, 'precious')
  fs.mkdirSync(foreign)
  fs.mkdirSync(path.join(folder, 'data'))
  for (const remembered of [left, foreign]) {
    fs.writeFileSync(path.join(folder, 'data', 'socket-folder'), remembered)
    const agent = make('ok')
    await agent.start('s'.repeat(43))
    await agent.stop()
  }
  expect([fs.existsSync(left), fs.existsSync(foreign)]).toEqual([false, true])
})

test.each([
  ['refuses', /secret is too short/],
  ['babbles', /not in the contract/],
])('an agent that %s is reported with a next step', async (mode, message) => {
  await expect(make(mode).start('short')).rejects.toMatchObject({
    code: 'start-failed',
    message: expect.stringMatching(message),
  })
})

test('a missing agent, a wrong Node and silence are said in words', async () => {
  await expect(new LocalAgent({ ...options('ok'), script: '/nowhere' }).start('x')).rejects.toMatchObject({
    code: 'install-required',
  })
  const silent = new LocalAgent({ ...options('silent'), startLimitMs: 300 })
  await expect(silent.start('x')).rejects.toThrow(/not ready within 0.3 s/)
})
