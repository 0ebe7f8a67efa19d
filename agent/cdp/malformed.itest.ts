import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentProcess, startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { freePort } from '../../e2e/rigs/ports.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { sockets } from '../../shared/contract/index.ts'

let agent: AgentProcess
let port: number
beforeAll(async () => {
  port = await freePort()
  agent = await startAgentProcess({ PILOTHOUSE_PORT: String(port) })
  await agent.client.call('browser.start', {}, { timeoutMs: 60_000 })
})
afterAll(() => agent.stop())

const residentBytes = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

/** Upgrades, sends `bytes` and waits until the other side has closed, or has had its say. */
function attack(path: string, bytes: Buffer, waitMs = 5000): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nAuthorization: Bearer ${agent.secret}\r\n\r\n`,
      )
    })
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.once('data', () => socket.write(bytes))
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function maskedFrame(first: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : 4)
  head[0] = first
  head[1] = 0x80 | (payload.length < 126 ? payload.length : 126)
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, Buffer.alloc(4), payload])
}
const closing = maskedFrame(0x88, Buffer.from([3, 232]))
const many = (count: number, make: () => Buffer) => Buffer.concat([...Array.from({ length: count }, make), closing])

const paths = [
  '/v1/browser/cdp',
  '/v1/browser/cdp?role=observer',
  '/ws/vnc',
  '/v1/browser/watch',
  '/ws/events',
  '/ws/logs',
  '/v1/browser/cdp/devtools/page/:targetId',
]
/** These two have programs behind them, and a test of their own in agent/terminal. */
const elsewhere = ['/ws/exec', '/ws/terminal']

test('no socket of the contract is left out', () => {
  const tried = new Set([...paths.map((path) => path.split('?')[0]), ...elsewhere])
  expect(sockets.map(({ path }) => path).filter((path) => !tried.has(path))).toEqual([])
})

test.each(paths)('%s survives malformed frames and tiny fragments', { timeout: 120_000 }, async (pattern) => {
  const { tabs } = await agent.client.call('tabs.list')
  const path = pattern.replace(':targetId', tabs[0]?.id ?? '')
  const before = residentBytes()
  // Not WebSocket at all: each of these closes its connection.
  for (let batch = 0; batch < times(4, 25); batch++)
    await Promise.all(
      Array.from({ length: 8 }, () => attack(path, randomBytes(1 + Math.floor(Math.random() * 300)), 300)),
    )
  // WebSocket, but not what the socket speaks: the connection may stay for the next one.
  const kinds = [
    () => maskedFrame(0x81, randomBytes(20)),
    () => maskedFrame(0x82, randomBytes(20)),
    () => maskedFrame(0x81, Buffer.from('{"id":1,"method":7}')),
    () => maskedFrame(0x81, Buffer.from('['.repeat(5000))),
    () => maskedFrame(0xf1, Buffer.from('{}')),
  ]
  for (const kind of kinds) await attack(path, many(times(400, 2000), kind))
  await attack(
    path,
    Buffer.concat([maskedFrame(0x01, Buffer.from('{')), ...Array(100_000).fill(maskedFrame(0, Buffer.from(' ')))]),
  )
  await attack(path, Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x7f, 255, 255, 255, 1, 2, 3, 4]), 300)
  expect(agent.program.exitCode).toBeUndefined()
  expect((await agent.client.call('browser.status')).state).toBe('active')
  await expect.poll(() => residentBytes() - before, { timeout: 10_000 }).toBeLessThan(50 * 1024 * 1024)
  await expect.poll(async () => (await agent.client.call('cdp.clients')).clients, { timeout: 10_000 }).toEqual([])
})
