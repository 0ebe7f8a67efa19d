import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startAgentProcess } from './agent-process.ts'
import { startChromium } from './chromium.ts'
import { noDockerd, startDockerd } from './dockerd.ts'
import { startConsole } from './electron.ts'
import { freshFolder } from './folder.ts'
import { startKeychain } from './keychain.ts'
import { noNamespaces, noNetem, startNetworkMachine } from './namespaces.ts'
import { accepts, freePort } from './ports.ts'
import { describeProcesses, markedProcesses, processTree } from './processes.ts'
import { runProgram, startProgram } from './program.ts'
import { listeningSockets } from './sockets.ts'
import { startSshd } from './sshd.ts'
import { until } from './until.ts'
import { startXvfb } from './xvfb.ts'

let temp = ''
const outerTemp = process.env['TMPDIR']
beforeEach(() => {
  temp = mkdtempSync(path.join(os.tmpdir(), 'ph-'))
  process.env['TMPDIR'] = temp
})
afterEach(() => {
  if (outerTemp === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = outerTemp
  rmSync(temp, { recursive: true, force: true })
})

/** Looks at a running rig; what it returns says whether process, port and folder are gone. */
function remember(...pids: number[]): () => Promise<void> {
  const processes = pids.flatMap(processTree)
  const sockets = listeningSockets(processes.map(({ pid }) => pid))
  expect(processes.length).toBeGreaterThanOrEqual(pids.length)
  return async () => {
    const left = processes.filter(({ pid, command }) => processTree(pid)[0]?.command === command)
    expect(describeProcesses(left)).toBe('')
    for (const { kind, address } of sockets) {
      if (kind === 'tcp') expect(await accepts({ port: Number(address.split(':').at(-1)) })).toBe(false)
      else if (kind === 'unix' && address.startsWith('/')) expect(await accepts({ path: address })).toBe(false)
    }
    expect(readdirSync(temp)).toEqual([])
  }
}

test('xvfb: a display for whoever has its cookie, and for nobody else', async () => {
  const xvfb = await startXvfb('800x600')
  onTestFinished(xvfb.stop)
  const gone = remember(xvfb.pid)
  const info = (env: NodeJS.ProcessEnv) => runProgram('xwininfo', ['-root'], { env: { ...process.env, ...env } })
  expect(await info(xvfb.env)).toContain('800x600')
  await expect(info({ ...xvfb.env, XAUTHORITY: '/dev/null' })).rejects.toThrow(/unable to open display/)
  await xvfb.stop()
  await gone()
})

test('keychain: keeps a secret from one process to the next', async () => {
  const keychain = await startKeychain()
  onTestFinished(keychain.stop)
  const gone = remember(...keychain.pids)
  const entry = `new (require('@napi-rs/keyring').AsyncEntry)('rig', 'account', { linux: { store: 'secret-service' } })`
  const keep = (work: string) =>
    runProgram(process.execPath, ['-e', `${entry}.${work}.then((value) => process.stdout.write(String(value)))`], {
      env: keychain.env,
      cwd: path.join(import.meta.dirname, '..', '..'),
    })
  await keep(`setPassword('kept')`)
  expect(await keep('getPassword()')).toBe('kept')
  await keychain.stop()
  await gone()
})

test.skipIf(noDockerd !== undefined)(
  'dockerd: runs a container from an image that came from nowhere',
  async () => {
    const dockerd = await startDockerd()
    onTestFinished(dockerd.stop)
    const gone = remember(dockerd.pid)
    await dockerd.importBusybox('busybox:test')
    expect(await dockerd.docker('run', '--network=none', 'busybox:test', 'echo', 'hello')).toBe('hello\n')
    await dockerd.docker('run', '-d', '--network=none', 'busybox:test', 'sleep', '1000')
    await dockerd.stop()
    await gone()
  },
  120_000,
)

test('sshd: lets its own key in, and no other', async () => {
  const sshd = await startSshd()
  onTestFinished(sshd.stop)
  const gone = remember(sshd.pid)
  expect(await runProgram('ssh', [...sshd.sshArgs, 'echo', 'in'])).toBe('in\n')
  const { folder, remove } = freshFolder('key')
  await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(folder, 'other')])
  const withOther = sshd.sshArgs.map((arg) => (arg === sshd.keyFile ? path.join(folder, 'other') : arg))
  await expect(runProgram('ssh', [...withOther, 'true'])).rejects.toThrow(/Permission denied/)
  remove()
  await sshd.stop()
  await gone()
})

test('chromium: answers over CDP', async () => {
  const chromium = await startChromium('data:text/html,<title>rig</title>')
  onTestFinished(chromium.stop)
  const gone = remember(chromium.pid)
  await until('the page', async () => {
    const pages = (await (await fetch(`${chromium.cdpUrl}/json/list`)).json()) as { title: string }[]
    return pages.some(({ title }) => title === 'rig')
  })
  await chromium.stop()
  await gone()
})

test('agent: the bundle as a process, asked over its socket', async () => {
  const agent = await startAgentProcess()
  onTestFinished(agent.stop)
  const gone = remember(agent.pid)
  expect((await agent.client.call('machine.health')).status).toBe('ok')
  await agent.stop()
  await gone()
})

test('electron: the built console in a window', async () => {
  const console = await startConsole()
  onTestFinished(console.stop)
  const gone = remember(console.pid)
  expect(await console.window.title()).toContain('Pilothouse')
  await console.stop()
  await gone()
}, 120_000)

describe.skipIf(noNamespaces !== undefined)('namespaces', () => {
  const serve = `require('http').createServer((q, s) => s.end(q.socket.localAddress)).listen(8000, '0.0.0.0')`
  const ask = (address: string) =>
    fetch(`http://${address}:8000`, { signal: AbortSignal.timeout(2000) }).then((a) => a.text())

  test('a machine has an address of its own, which can be cut off and mended', async () => {
    const machine = await startNetworkMachine('100.64.211')
    onTestFinished(machine.stop)
    const server = await machine.start(process.execPath, ['-e', serve])
    const gone = remember(server.pid)
    expect(await server.ready('the server', () => ask(machine.address))).toBe('100.64.211.2')

    await machine.cut()
    await expect(ask(machine.address)).rejects.toThrow()
    await machine.mend()
    await until('the way to be back', () => ask(machine.address))
    await machine.stop()
    await gone()
    expect(await runProgram('ip', ['netns', 'list'])).not.toContain(machine.namespace)
    expect(await runProgram('ip', ['link'])).not.toContain(machine.namespace.slice(3))
  })

  test('the way to a machine can be slow and silent', async ({ skip }) => {
    const reason = await noNetem()
    if (reason !== undefined) skip(reason)
    const machine = await startNetworkMachine('100.64.212')
    onTestFinished(machine.stop)
    const server = await machine.start(process.execPath, ['-e', serve])
    await server.ready('the server', () => ask(machine.address))
    await machine.impair({ delayMs: 60 })
    const began = performance.now()
    await ask(machine.address)
    // Each way takes the delay, so that no answer can be sooner than twice that.
    expect(performance.now() - began).toBeGreaterThanOrEqual(120)
    await machine.impair({ lossPercent: 100 })
    await expect(ask(machine.address)).rejects.toThrow()
    await machine.impair({})
    await until('the way to be good again', () => ask(machine.address))
  })
})

describe('processes and sockets', () => {
  test('listening TCP, UDP and Unix sockets are found; connected ones are not', async () => {
    const peer = http.createServer()
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
    const { port: peerPort } = peer.address() as { port: number }
    const port = await freePort()
    const unix = path.join(temp, 'a.sock')
    const program = await startProgram(process.execPath, [
      '-e',
      `const net = require('net'), udp = require('dgram')
       net.createServer().listen(${port}, '127.0.0.1')
       net.createServer().listen(${JSON.stringify(unix)})
       net.connect(${peerPort}, '127.0.0.1')
       const open = udp.createSocket('udp4').bind(${port}, '127.0.0.1')
       const tied = udp.createSocket('udp4'); tied.connect(${peerPort}, '127.0.0.1', () => console.log('set up'))`,
    ])
    await program.ready('the sockets', () => program.output().includes('set up'))
    const found = listeningSockets([program.pid]).map(({ kind, address }) => `${kind} ${address}`)
    expect(found.sort()).toEqual([`tcp 127.0.0.1:${port}`, `udp 127.0.0.1:${port}`, `unix ${unix}`].sort())
    await program.end()
    peer.close()
  })

  test('a program is ended with what it started, also with a child that left its group', async () => {
    const mark = `PH_RIG_MARK=${path.basename(temp)}`
    const program = await startProgram('sh', ['-c', 'setsid sleep 1000 & setsid sleep 1000 & echo up; wait'], {
      env: { ...process.env, PH_RIG_MARK: path.basename(temp) },
    })
    await program.ready('its children', () => markedProcesses(mark).filter(({ name }) => name === 'sleep').length === 2)
    expect(processTree(program.pid).map(({ name }) => name)).toContain('sleep')
    await program.end()
    expect(describeProcesses(markedProcesses(mark))).toBe('')
  })

  test('a test process that is killed leaves neither program nor, when it can notice, folder', async () => {
    const script = path.join(temp, 'crash.ts')
    const rig = (name: string) => JSON.stringify(path.join(import.meta.dirname, name))
    writeFileSync(
      script,
      `import { startXvfb } from ${rig('xvfb.ts')}
       const xvfb = await startXvfb('320x240')
       console.log('pid ' + xvfb.pid + '.')
       setInterval(() => {}, 1000)`,
    )
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const test = await startProgram(process.execPath, ['--no-warnings', script])
      const pid = await test.ready('the rig', () => /pid (\d+)\./.exec(test.output())?.[1])
      process.kill(test.pid, signal)
      await until(`Xvfb to end after ${signal}`, () => processTree(Number(pid)).length === 0)
      if (signal === 'SIGTERM') expect(readdirSync(temp)).toEqual(['crash.ts'])
      await test.end()
    }
  })
})
