import { randomBytes } from 'node:crypto'
import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentProcess, startAgentProcess } from '../../e2e/rigs/agent-process.ts'
import { residentBytes } from '../../e2e/rigs/processes.ts'
import { times } from '../../e2e/rigs/soak.ts'
import { until } from '../../e2e/rigs/until.ts'

let agent: AgentProcess
beforeAll(async () => {
  agent = await startAgentProcess({ PILOTHOUSE_SHELL: '/bin/sh' })
})
afterAll(() => agent.stop())

/** A frame as a client sends it, with whatever first byte and length field one likes. */
function frame(first: number, payload: Buffer, claimed = payload.length): Buffer {
  const length =
    claimed < 126
      ? Buffer.from([0x80 | claimed])
      : Buffer.from([0xff, 0, 0, 0, 0, ...[24, 16, 8, 0].map((n) => (claimed >>> n) & 255)])
  return Buffer.concat([Buffer.from([first]), length, Buffer.alloc(4), payload])
}

const text = (value: string) => frame(0x81, Buffer.from(value))
const makers: ((i: number) => Buffer)[] = [
  () => text('{'),
  () => text('[]'),
  () => text('{"type":"resize","cols":-1,"rows":1e9}'),
  () => text('{"type":"signal","signal":"SIGSEGV"}'),
  () => text('{"type":"ack","bytes":-5}'),
  () => text('{"type":"cancel","extra":1}'),
  () => text('['.repeat(5000)),
  () => frame(0x81, Buffer.from([0xff, 0xfe, 0xc0])),
  () => frame(0x83, Buffer.from('reserved opcode')),
  () => frame(0xf1, Buffer.from('reserved bits')),
  () => frame(0x82, Buffer.alloc(10), 1_000_000_000),
  () => frame(0x80, Buffer.from('a continuation of nothing')),
  () => frame(0x09, randomBytes(100)),
  () => frame(0x88, Buffer.from([1])),
  (i) => randomBytes((i % 200) + 1),
]

/** Opens one socket by hand, sends the frames, and waits until the agent has closed it. */
function attack(path: string, frames: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(agent.socketPath)
    socket.once('error', () => {})
    socket.once('close', () => resolve())
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${agent.secret}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    socket.once('data', (answer: Buffer) => {
      if (!answer.toString('latin1').startsWith('HTTP/1.1 101'))
        reject(new Error(answer.toString('latin1').slice(0, 300)))
      for (const bytes of frames) socket.write(bytes)
      socket.end()
      socket.resume()
    })
  })
}

const many = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => (makers[(from + i) % makers.length] ?? randomBytes)(from + i) as Buffer)

test.each([
  ['/ws/terminal', times(100, 500), 20],
  ['/ws/exec', 10, 1000],
])('malformed frames at %s: no crash, little memory', async (path, connections, framesEach) => {
  const opener = await agent.client.open('terminal')
  let id = ''
  opener.onMessage = (message) => {
    if (message.type === 'ready') id = message.id
  }
  await until('the terminal', () => id !== '')
  const query = path === '/ws/terminal' ? `?id=${id}` : '?command=sleep+1000'
  const before = residentBytes(agent.pid)
  for (let i = 0; i < connections; i++) await attack(path + query, many(framesEach, i))
  expect((await agent.client.call('machine.health')).status).not.toBe('error')
  expect(residentBytes(agent.pid) - before).toBeLessThan(50e6)
  // The terminal itself has survived all of its clients.
  const again = await agent.client.open('terminal', { id })
  again.send({ type: 'close' })
  expect((await again.closed).code).toBe(1000)
})

test('100,000 tiny fragments: the socket is closed, the agent lives', async () => {
  const before = residentBytes(agent.pid)
  const opener = await agent.client.open('terminal')
  let id = ''
  opener.onMessage = (message) => {
    if (message.type === 'ready') id = message.id
  }
  await until('the terminal', () => id !== '')
  const fragment = frame(0x00, Buffer.from('x'))
  await attack(`/ws/terminal?id=${id}`, [frame(0x02, Buffer.from('x')), Buffer.concat(Array(100_000).fill(fragment))])
  expect((await agent.client.call('machine.health')).status).not.toBe('error')
  expect(residentBytes(agent.pid) - before).toBeLessThan(50e6)
})
