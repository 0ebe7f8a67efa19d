import http from 'node:http'
import net from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import type { CallDefinition } from '../../shared/contract/define.ts'
import { calls, sockets } from '../../shared/contract/index.ts'

let rig: TestAgent
beforeAll(async () => {
  rig = await startTestAgent()
})
afterAll(() => rig.stop())

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  problem: { code?: string; detail?: string; requestId?: string; type?: string; status?: number }
}

/** A request without any client of ours: what a stranger could send. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port: rig.port, method, path, headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => {
          const json = /json/.test(response.headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : {}
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, problem: json })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** Tries an upgrade; the status it was answered with, 101 when it opened. */
function upgrade(path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${rig.port}${path}`, { headers })
    socket.on('error', () => {})
    socket.on('unexpected-response', (request, response) => {
      request.destroy()
      resolve(response.statusCode ?? 0)
    })
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
  })
}

const withSecret = () => ({ authorization: `Bearer ${rig.secret}` })
const json = (value: unknown) =>
  [{ ...withSecret(), 'content-type': 'application/json' }, JSON.stringify(value)] as const
const pathOf = (call: CallDefinition) => call.path.replace(/:[A-Za-z]+/g, 'x')

describe('without credentials', () => {
  test.each((calls as readonly CallDefinition[]).map((call) => [call.method, pathOf(call), call.access] as const))(
    '%s %s',
    async (method, path, access) => {
      const { status, problem } = await ask(method, path)
      if (access === 'open') expect(status).toBe(200)
      else expect([status, problem.code]).toEqual([401, 'unauthorized'])
    },
  )
  test.each(sockets.map((socket) => socket.path))('upgrade of %s', async (path) => {
    expect(await upgrade(path)).toBe(401)
  })
  test('open are health, version and metrics, nothing else', () => {
    const open = calls.filter((call) => (call.access as string) === 'open').map((call) => `${call.method} ${call.path}`)
    expect(open).toEqual(['GET /health', 'GET /version', 'GET /metrics'])
    expect(sockets.filter((socket) => (socket.access as string) === 'open')).toEqual([])
  })
  test('a path that does not exist is not told apart from one that does', async () => {
    expect((await ask('GET', '/nothing/here')).status).toBe(401)
    expect((await ask('GET', '/nothing/here', withSecret())).problem.code).toBe('unknown-route')
  })
})

describe('a web page', () => {
  const asPages: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { referer: 'https://evil.example/page' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { host: 'rebound.example' },
    { host: 'rebound.example:8000' },
    { host: '127.0.0.1.evil.example' },
  ]
  test.each(asPages)('is refused everywhere with %o', async (headers) => {
    for (const call of calls as readonly CallDefinition[]) {
      const { status } = await ask(call.method, pathOf(call), { ...withSecret(), ...headers })
      expect(status, `${call.method} ${call.path}`).toBe(403)
    }
    for (const socket of sockets) expect(await upgrade(socket.path, { ...withSecret(), ...headers })).toBe(403)
    expect((await ask('GET', '/unknown', headers)).status).toBe(403)
  })
  test('names of this agent are accepted', async () => {
    for (const host of ['localhost', 'LOCALHOST:1234', '127.0.0.1', '[::1]:8000']) {
      expect((await ask('GET', '/health', { host })).status, host).toBe(200)
    }
  })
})

describe('the secret', () => {
  test.each([
    ['wrong', { authorization: 'Bearer wrong' }],
    ['wrong, of the same length', { authorization: `Bearer ${'x'.repeat(43)}` }],
    ['very long', { authorization: `Bearer ${'x'.repeat(8000)}` }],
    ['of another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['empty', { authorization: 'Bearer ' }],
  ])('that is %s gets 401', async (_name, headers) => {
    const answer = await ask('GET', '/status', headers)
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })
  test('is taken from X-Deploy-Secret as well', async () => {
    expect((await ask('GET', '/status', { 'x-deploy-secret': rig.secret })).status).toBe(200)
  })
  test('is not taken from a URL', async () => {
    expect(await upgrade(`/ws/events?token=${rig.secret}`)).toBe(401)
    expect((await ask('GET', `/status?token=${rig.secret}`)).status).toBe(401)
  })
  test('that is wrong, many times, does not lock out the right one', async () => {
    const wrong = Array.from({ length: 100 }, () => ask('GET', '/status', { authorization: 'Bearer no' }))
    expect((await ask('GET', '/status', withSecret())).status).toBe(200)
    const statuses = new Set((await Promise.all(wrong)).map((answer) => answer.status))
    expect([...statuses].every((status) => status === 401 || status === 429)).toBe(true)
  })
})

describe('a ticket', () => {
  const issue = async (scope: string) => {
    const answer = await ask('POST', '/tickets', ...json({ scope }))
    expect(answer.status).toBe(200)
    return (JSON.parse(answer.text) as { ticket: string }).ticket
  }
  test('opens its socket once', async () => {
    const ticket = await issue('/ws/events')
    expect(await upgrade(`/ws/events?token=${ticket}`)).toBe(101)
    expect(await upgrade(`/ws/events?token=${ticket}`)).toBe(401)
    expect(await upgrade(`/ws/events/?token=${await issue('/ws/events')}`)).toBe(101)
  })
  test('opens no other path, and is spent by the attempt', async () => {
    const ticket = await issue('/ws/events')
    expect(await upgrade(`/ws/vnc?token=${ticket}`)).toBe(401)
    expect(await upgrade(`/ws/events?token=${ticket}`)).toBe(401)
  })
  test('opens no plain call', async () => {
    const ticket = await issue('/ws/events')
    expect((await ask('GET', `/status?token=${ticket}`)).status).toBe(401)
  })
  test('is not made for a path that is no socket', async () => {
    expect((await ask('POST', '/tickets', ...json({ scope: '/status' }))).problem.code).toBe('invalid-params')
  })
})

describe('bodies', () => {
  const start = '/v1/browser/start'
  test.each([
    ['unknown keys', { surprise: 1 }, 'surprise'],
    ['a value out of range', { width: 10 }, 'width'],
    ['a value of another type', { headless: 'yes' }, 'headless'],
    ['an array', [], 'object'],
  ])('with %s are refused, and the answer says which', async (_name, body, named) => {
    const answer = await ask('POST', start, ...json(body))
    expect([answer.status, answer.problem.code]).toEqual([400, 'invalid-params'])
    expect(answer.problem.detail).toContain(named)
  })
  test('that are not JSON', async () => {
    const broken = await ask('POST', start, { ...withSecret(), 'content-type': 'application/json' }, '{"width":')
    expect([broken.status, broken.problem.code]).toEqual([400, 'bad-request'])
    const form = await ask('POST', start, { ...withSecret(), 'content-type': 'text/plain' }, 'width=1')
    expect([form.status, form.problem.code]).toEqual([415, 'unsupported-media'])
  })
  test('that do not say what they are are JSON', async () => {
    const answer = await ask('POST', start, withSecret(), '{"width":10}')
    expect([answer.status, answer.problem.code]).toEqual([400, 'invalid-params'])
    const form = await ask('POST', start, withSecret(), 'width=1')
    expect([form.status, form.problem.code]).toEqual([400, 'bad-request'])
  })
  test('over 1 MiB, announced or not', async () => {
    const announced = await ask('POST', start, ...json({ url: 'x'.repeat(1024 * 1024) }))
    expect([announced.status, announced.problem.code]).toEqual([413, 'body-too-large'])
    const chunked = await new Promise<number>((resolve) => {
      const headers = { ...withSecret(), 'content-type': 'application/json' }
      const request = http.request({ host: '127.0.0.1', port: rig.port, method: 'POST', path: start, headers })
      request.on('response', (response) => {
        resolve(response.statusCode ?? 0)
        request.destroy()
      })
      request.on('error', () => {})
      for (let i = 0; i < 20; i++) request.write(Buffer.alloc(64 * 1024, 0x20))
    })
    expect(chunked).toBe(413)
  })
  test('keys in the wrong place', async () => {
    const answer = await ask('POST', `${start}?width=800`, ...json({}))
    expect(answer.problem.detail).toContain('width')
    expect((await ask('GET', '/audit?nonsense=1', withSecret())).problem.code).toBe('invalid-params')
  })
})

describe('a problem', () => {
  test('is a problem document with code, next step and request id', async () => {
    const answer = await ask('GET', '/nothing', withSecret())
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.problem).toMatchObject({ type: 'urn:pilothouse:problem:unknown-route', status: 404 })
    expect(answer.problem.requestId).toBe(answer.headers['x-request-id'])
    expect(answer.problem.detail).toContain('/openapi.json')
  })
  test('for a wrong method names the right ones', async () => {
    const answer = await ask('PATCH', '/takeover/lease', withSecret())
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, DELETE'])
  })
  test('for a plain request to a socket says what it is', async () => {
    const answer = await ask('GET', '/ws/events', withSecret())
    expect(answer.problem.detail).toContain('WebSocket')
    expect([answer.status, answer.headers.upgrade, answer.headers.connection]).toEqual([
      426,
      'websocket',
      'upgrade, close',
    ])
  })
})

test('the same Idempotency-Key runs once, and another request with it is refused', async () => {
  const key = { 'idempotency-key': 'once-1' }
  const [headers, body] = json({})
  const before = await rig.client.call('audit.list', { action: 'browser_stop' })
  const first = await ask('POST', '/v1/browser/stop', { ...headers, ...key }, body)
  const second = await ask('POST', '/v1/browser/stop', { ...headers, ...key }, body)
  expect([first.status, second.text]).toEqual([200, first.text])
  const after = await rig.client.call('audit.list', { action: 'browser_stop' })
  expect(after.total - before.total).toBe(1)
  const other = await ask('POST', '/v1/browser/start', { ...headers, ...key }, JSON.stringify({ width: 900 }))
  expect([other.status, other.problem.code]).toEqual([409, 'conflict'])
})

test('a key that was used before a restart runs nothing again', async () => {
  const [headers, body] = json({})
  const keyed = { ...headers, 'idempotency-key': 'once-2' }
  expect((await ask('POST', '/v1/browser/stop', keyed, body)).status).toBe(200)
  await rig.restart()
  const again = await ask('POST', '/v1/browser/stop', keyed, body)
  expect([again.status, again.problem.code]).toEqual([409, 'conflict'])
})

test('who did what stands in the audit log, with the intent before the act', async () => {
  await ask('POST', '/v1/browser/stop', { ...withSecret(), 'x-operator': encodeURIComponent('Zoë\nroot') })
  const { entries } = await rig.client.call('audit.list', { pageSize: 1 })
  expect(entries[0]).toMatchObject({
    action: 'browser_stop',
    operator: 'Zoë root',
    peer: '127.0.0.1',
    result: 'success',
  })
  expect(await rig.client.call('audit.verify')).toMatchObject({ sound: true })
})

test('garbage gets an answer, not a crash', async () => {
  const socket = net.connect(rig.port, '127.0.0.1')
  socket.end('\x00\x01\x02 garbage\r\n\r\n')
  const text = await new Promise<string>((resolve) => {
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk.toString()
    })
    socket.on('close', () => resolve(got))
  })
  expect(text).toContain('400')
  expect((await ask('GET', '/health')).status).toBe(200)
})

test('the description lists every call and socket of the contract', async () => {
  const description = (await rig.client.call('machine.openapi')) as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
    'x-websockets': Record<string, unknown>
  }
  const listed = Object.values(description.paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId))
  expect(listed.sort()).toEqual(calls.map((call) => call.name as string).sort())
  expect(Object.keys(description['x-websockets'])).toEqual(sockets.map((socket) => socket.path))
})

test('the secret turns up in no log line', () => {
  expect(rig.logged.join('\n')).not.toContain(rig.secret)
})
