import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { times } from '../../e2e/rigs/soak.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await startTestAgent({ DOCKER_HOST: 'unix:///nonexistent.sock' })
})
afterAll(() => agent.stop())

const open = () =>
  new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${agent.port}/ws/logs`, {
      headers: { authorization: `Bearer ${agent.secret}` },
    })
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })

const bad = [
  '',
  '{',
  'null',
  '[]',
  '{"type":"subscribe"}',
  '{"type":"subscribe","service":"../x"}',
  '{"type":"subscribe","service":"api","extra":1}',
  '{"type":"subscribe","service":"api","since":5}',
  '{"type":"ping","type":"nothing"}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `{"type":"subscribe","service":"${'a'.repeat(5000)}"}`,
]

test('malformed frames by the thousand leave the agent as it was', async () => {
  await agent.client.call('machine.health')
  const before = process.memoryUsage().rss
  for (let sent = 0; sent < times(2000, 10_000); ) {
    const socket = await open()
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    for (let index = 0; index < 200; index++, sent++) {
      const text = bad[(sent + index) % bad.length] ?? ''
      if (socket.readyState === WebSocket.OPEN) socket.send(index % 3 === 0 ? randomBytes(64) : text)
    }
    socket.close()
    await closed
  }
  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(50)
  const health = await agent.client.call('machine.health')
  expect(health.status).toBeDefined()
})

test('a service that cannot be had is an error message on a socket that stays open', async () => {
  const socket = await agent.client.open('logs', { service: 'api' })
  const messages: { type: string; message?: string }[] = []
  socket.onMessage = (message) => void messages.push(message)
  while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(messages[0]).toMatchObject({ type: 'error', code: 'install-required' })
  socket.send({ type: 'ping' })
  while (messages.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(messages[1]).toEqual({ type: 'pong' })
  socket.close()
})

test('what a container is called cannot forge a line of the agent', async () => {
  await expect(agent.client.call('logs.get', { service: 'a\nb' })).rejects.toMatchObject({ code: 'invalid-params' })
  expect(agent.logged.every((entry) => !entry.includes('\n'))).toBe(true)
})
