import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askStatus } from './own-server.ts'

let body = ''
const server = http.createServer((_request, response) => response.end(body))
let port: number
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())
const says = (text: unknown) => {
  body = typeof text === 'string' ? text : JSON.stringify(text)
  return askStatus(port, '/worker/status')
}

test.each([
  ['nothing', ''],
  ['no JSON', '<html>busy</html>'],
  ['something else', []],
  ['no jobs', { is_running: true }],
  ['jobs that are no number', { active_jobs: 'none' }],
  ['fewer jobs than none', { active_jobs: -1 }],
  ['half a job', { active_jobs: 0.5 }],
  ['what is neither draining nor not', { active_jobs: 0, is_draining: 'maybe' }],
])('a worker that says %s has said nothing', async (_what, text) => {
  expect(await says(text)).toBeUndefined()
})

test('what only people read may be anything: what it does has been said', async () => {
  const odd = { worker_id: 7, max_concurrent: null, uptime_ms: '5 s', current_job: { id: 'j-1' }, timestamp: 'now' }
  const own = await says({ active_jobs: 1, is_running: true, is_draining: true, ...odd })
  expect(own).toMatchObject({ active_jobs: 1, is_draining: true })
})

test('a worker that answers with another protocol, or breaks off, keeps nobody waiting', async () => {
  for (const bytes of ['HTTP/1.1 101 Other\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'HTTP/1.1 200 OK\r\n', '']) {
    const odd = net.createServer((socket) => void socket.on('error', () => {}).end(bytes))
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
    expect(await askStatus((odd.address() as AddressInfo).port, '/worker/status')).toBeUndefined()
    odd.close()
  }
})
