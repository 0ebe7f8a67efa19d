import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { soaking, times } from '../../e2e/rigs/soak.ts'
import { type Sshd, startSshd } from '../../e2e/rigs/sshd.ts'
import { until } from '../../e2e/rigs/until.ts'
import { AgentClient } from '../../shared/client/client.ts'
import { openSsh } from './ssh/ssh-tunnel.ts'
import { type BadLink, startBadLink } from './test/bad-link.ts'
import { makeSshHome, type SshHome } from './test/ssh-home.ts'

/** The watch takes fifteen seconds to give a silent connection up; outside a soak, nine. */
const watch = soaking ? [] : ['ServerAliveInterval 3', 'ServerAliveCountMax 3']

let agent: TestAgent
let sshd: Sshd
let link: BadLink
let home: SshHome
let sink: net.Server
beforeAll(async () => {
  ;[agent, sshd] = await Promise.all([startTestAgent(), startSshd()])
  link = await startBadLink(sshd.port, { delayMs: 100, rateKbit: 1000, lossPercent: 2 })
  home = makeSshHome()
  home.writeConfig('Host box', 'HostName 127.0.0.1', `Port ${link.port}`, `IdentityFile ${sshd.keyFile}`, ...watch)
  fs.writeFileSync(path.join(home.folder, '.ssh', 'known_hosts'), `[127.0.0.1]:${link.port} ${sshd.hostKey}\n`)
  // Sends as fast as it may, and reads all it gets.
  sink = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.resume()
    const fill = () => {
      while (socket.writable && socket.write(Buffer.alloc(64 * 1024)));
    }
    socket.on('drain', fill)
    fill()
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await link?.stop()
  await sshd?.stop()
  sink?.close()
  home?.remove()
  await agent?.stop()
})

const connect = async () => {
  const { connection, release } = home.connections.hold({ host: 'box' })
  await connection.ready()
  const bulk = await connection.open({ port: (sink.address() as net.AddressInfo).port })
  return { connection, bulk, release }
}

test('200 ms, 2 % loss, 1 Mbit, with a download that fills it: calls are still answered within a health check', async () => {
  const { connection, bulk, release } = await connect()
  let bytes = 0
  bulk.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const remote = { socketPath: agent.config.socketPath ?? '' }
  const tunnel = openSsh({ kind: 'ssh', host: 'box', remote }, home.connections)
  const client = new AgentClient(tunnel.transport(), { secret: () => agent.secret })
  try {
    // The first window is a guess; after it the channel has found out what the link carries.
    await until('the download to have found its pace', () => bytes > 512 * 1024, 60_000)
    const before = bytes
    for (let time = 0; time < 5; time++) {
      await client.call('machine.status', {}, { timeoutMs: 5000 })
      expect(connection.state.state).toBe('up')
    }
    expect(bytes).toBeGreaterThan(before)
    expect(bulk.destroyed).toBe(false)
  } finally {
    bulk.destroy()
    tunnel.close()
    release()
  }
}, 120_000)

test('on the same link, with the download, a person types in a terminal and takes the browser over', async () => {
  await agent.client.call('browser.start', { headless: true }, { timeoutMs: 60_000 })
  const { connection, bulk, release } = await connect()
  bulk.resume()
  const remote = { socketPath: agent.config.socketPath ?? '' }
  const tunnel = openSsh({ kind: 'ssh', host: 'box', remote }, home.connections)
  const client = new AgentClient(tunnel.transport(), { secret: () => agent.secret, operator: () => 'ada' })
  try {
    const terminal = await client.open('terminal', {}, AbortSignal.timeout(30_000))
    let seen = ''
    terminal.onBytes = (bytes) => {
      seen += new TextDecoder().decode(bytes)
    }
    const echoes: number[] = []
    // The prompt first: what is typed before it would be echoed by nobody.
    await until('the prompt', () => seen.length > 0, 30_000)
    for (const letter of [...'echo ', 'it-is-$((40+2))']) {
      const [before, typed] = [seen.length, performance.now()]
      terminal.sendBytes(new TextEncoder().encode(letter))
      await until(`the echo of ${letter}`, () => seen.length > before, 30_000)
      echoes.push(performance.now() - typed)
    }
    terminal.sendBytes(new TextEncoder().encode('\r'))
    await until('the answer', () => seen.includes('it-is-42'), 30_000)
    terminal.send({ type: 'close' })

    const limit = { timeoutMs: 15_000 }
    const { leaseId } = await client.call('takeover.take', { operator: 'ada', ttlMs: 60_000 }, limit)
    await client.call('takeover.renew', { leaseId }, limit)
    expect((await client.call('takeover.handBack', { leaseId }, limit)).ok).toBe(true)
    expect(connection.state.state).toBe('up')
    const middle = echoes.toSorted((a, b) => a - b)[echoes.length / 2]
    console.log(
      `a letter's echo: ${Math.round(middle ?? 0)} ms in the middle, ${Math.round(Math.max(...echoes))} ms at most`,
    )
  } finally {
    bulk.destroy()
    tunnel.close()
    release()
    await agent.client.call('browser.stop', {}, { timeoutMs: 30_000 })
  }
}, 180_000)

test('full in both directions for longer than the watch waits in silence, the tunnel is never declared down', async () => {
  const { connection, bulk, release } = await connect()
  let lost = false
  bulk.resume()
  bulk.once('close', () => {
    lost = true
  })
  const feed = setInterval(() => bulk.writableLength === 0 && bulk.write(Buffer.alloc(256 * 1024)), 50)
  try {
    for (let second = 0; second < times(12, 22); second++) {
      await sleep(1000)
      expect(connection.state.state).toBe('up')
    }
    expect(lost).toBe(false)
  } finally {
    clearInterval(feed)
    bulk.destroy()
    release()
  }
}, 120_000)

test('a pause shorter than the watch is survived; after a longer one the tunnel is down and then back', async () => {
  const { connection, bulk, release } = await connect()
  try {
    bulk.resume()
    link.setSilent(true)
    await sleep(4000)
    expect(connection.state.state).toBe('up')
    await until('the silence to be noticed', () => connection.state.state === 'down', 40_000)
    expect(bulk.destroyed).toBe(true)
    link.setSilent(false)
    await until('a new connection', () => connection.ready().then(() => true), 30_000)
    expect(connection.state.state).toBe('up')
  } finally {
    release()
  }
}, 120_000)

test('after a sleep a dead connection is found within seconds, and a living one is kept', async () => {
  const { connection, bulk, release } = await connect()
  try {
    bulk.destroy()
    connection.probe()
    await sleep(5000)
    expect(connection.state.state).toBe('up')
    link.setSilent(true)
    const asked = performance.now()
    connection.probe()
    await until('the dead connection to be given up', () => connection.state.state === 'down', 15_000)
    // Its own watch would take three turns of five seconds.
    expect(performance.now() - asked).toBeLessThan(10_000)
  } finally {
    link.setSilent(false)
    release()
  }
}, 60_000)
