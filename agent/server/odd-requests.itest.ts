import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { freePort } from '../../e2e/rigs/ports.ts'
import { codeOf, rawRequest, say as rawSay, statusOf } from '../../e2e/rigs/raw-http.ts'

/** What no client of ours would send: bytes as they stand, on a connection of their own. */
let rig: TestAgent
beforeAll(async () => {
  rig = await startTestAgent({ PILOTHOUSE_HOST_NAMES: 'agent.example, fd7a:115c:a1e0::0:7' })
})
afterAll(() => rig.stop())

const say = (bytes: string | Buffer, enough?: (text: string) => boolean, to = { host: '127.0.0.1', port: rig.port }) =>
  rawSay(to, bytes, enough)
const request = rawRequest
const host = 'Host: localhost'
const secret = () => `Authorization: Bearer ${rig.secret}`

/** A body for the env file, which has the most freedom of all. */
const setEnv = (body: string | Buffer, ...headers: string[]) =>
  say(
    request(
      'POST /env HTTP/1.1',
      [host, secret(), 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...headers],
      body,
    ),
  )

describe('the name in Host', () => {
  test.each([
    'localhost.',
    'localhost.:8000',
    '[::1]',
    '[0:0:0:0:0:0:0:1]:8000',
    '::1',
    'AGENT.example.:80',
    '[FD7A:115c:a1e0::7]:8000',
    os.hostname(),
  ])('%s is one of this agent', async (name) => {
    expect(statusOf(await say(request('GET /health HTTP/1.1', [`Host: ${name}`])))).toBe(200)
  })
  test.each([
    'localhost..',
    'localhost:port',
    'localhost:123456',
    '[localhost]',
    '[::1',
    '[::2]',
    'localhost.evil.example',
    'user@localhost',
    '127.1',
    '',
  ])('%j is not', async (name) => {
    const text = await say(request('GET /health HTTP/1.1', [`Host: ${name}`]))
    expect([statusOf(text), codeOf(text)]).toEqual([403, 'unknown-host'])
  })
  test('that is missing, stands twice, or is of another by an absolute address, opens nothing', async () => {
    for (const [line, ...headers] of [
      ['GET /health HTTP/1.1'],
      ['GET /health HTTP/1.1', host, 'Host: evil.example'],
      ['GET /health HTTP/1.1', host, host],
      ['GET http://evil.example/health HTTP/1.1', host],
      ['GET http://localhost@evil.example/health HTTP/1.1', host],
      ['GET http://localhost/health HTTP/1.1', 'Host: evil.example'],
    ] as const) {
      const text = await say(request(line, headers))
      expect([line, statusOf(text), codeOf(text)]).toEqual([line, 403, 'unknown-host'])
      expect(text).toContain('content-type: application/problem+json')
    }
  })
  test('may stand in an absolute address, as clients of proxies write it', async () => {
    for (const address of ['http://localhost:8000/health', 'HTTP://127.0.0.1/version?'])
      expect(statusOf(await say(request(`GET ${address} HTTP/1.1`, [host])))).toBe(200)
    expect(statusOf(await say(request('GET http://localhost?x HTTP/1.1', [host, secret()])))).toBe(404)
    expect(statusOf(await say(request('GET http://localhost/audit?page=2 HTTP/1.1', [host, secret()])))).toBe(200)
    expect(statusOf(await say(request('GET http://localhost/status HTTP/1.1', [host])))).toBe(401)
  })
  test('is the address that the connection came in on, where every address is bound', async () => {
    const port = await freePort()
    const open = await startTestAgent({ PILOTHOUSE_BIND: `0.0.0.0:${port}`, PILOTHOUSE_ALLOW_PUBLIC_BIND: '1' })
    const ask = (name: string, to = { host: '127.0.0.2', port }) =>
      say(request('GET /health HTTP/1.1', [`Host: ${name}`]), undefined, to).then(statusOf)
    expect(
      await Promise.all(['127.0.0.2', `127.0.0.2:${port}`, '127.0.0.3', '10.0.0.1'].map((name) => ask(name))),
    ).toEqual([200, 200, 403, 403])
    expect(await ask('127.0.0.2', { host: '127.0.0.1', port: rig.port })).toBe(403)
    await open.stop()
  })
  test('an Origin behind thousands of other headers is seen', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => `${index.toString(36)}:`)
    const text = await say(request('GET /health HTTP/1.1', [host, ...many, 'Origin: https://evil.example']))
    expect([statusOf(text), codeOf(text)]).toEqual([403, 'browser-refused'])
    const large = await say(request('GET /health HTTP/1.1', [host, `X: ${'x'.repeat(20_000)}`]))
    expect([statusOf(large), codeOf(large)]).toEqual([431, 'headers-too-large'])
    expect(large).toContain('16384 bytes')
  })
})

describe('headers that stand twice', () => {
  test('a wrong secret beside the right one does not count, in either order', async () => {
    const wrong = 'Authorization: Bearer wrong'
    expect(statusOf(await say(request('GET /status HTTP/1.1', [host, wrong, secret()])))).toBe(401)
    expect(statusOf(await say(request('GET /status HTTP/1.1', [host, secret(), wrong])))).toBe(401)
    const both = [host, `X-Deploy-Secret: ${rig.secret}`, 'X-Deploy-Secret: wrong']
    expect(statusOf(await say(request('GET /status HTTP/1.1', both)))).toBe(401)
  })
  test('two lengths, or a length and chunks, are no request', async () => {
    const start = ['POST /env HTTP/1.1', host, secret(), 'Content-Type: application/json'] as const
    const [line, ...headers] = start
    const smuggled = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'
    for (const extra of [
      ['Content-Length: 2', 'Content-Length: 3'],
      ['Content-Length: 2', 'Transfer-Encoding: chunked'],
    ]) {
      const text = await say(request(line, [...headers, ...extra], `{}${smuggled}`))
      expect(statusOf(text)).toBe(400)
      expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
    }
  })
})

describe('a body', () => {
  test('that is not UTF-8 is refused, not repaired', async () => {
    const text = await setEnv(Buffer.concat([Buffer.from('{"vars":{"A":"'), Buffer.from([0xff]), Buffer.from('"}}')]))
    expect([statusOf(text), codeOf(text)]).toEqual([400, 'bad-request'])
  })
  test.each([
    ['a name from the prototype', '{"vars":{"__proto__":"x"}}', 'invalid-params'],
    ['the same, disguised', '{"vars":{"__\\u0070roto__":"x"}}', 'invalid-params'],
    ['a prototype of its own', '{"vars":{},"__proto__":{"restart":true}}', 'invalid-params'],
    ['a constructor', '{"vars":{},"constructor":{"prototype":{}}}', 'invalid-params'],
    ['half a letter', '{"vars":{"A":"\\ud83d"}}', 'invalid-params'],
    ['a number beyond all', '{"vars":{"A":"x"},"restart":1e400}', 'invalid-params'],
    ['brackets without end', `{"vars":${'['.repeat(100_000)}`, 'bad-request'],
    ['a NUL', '{"vars":{"A":"\\u0000"}}', 'invalid-params'],
  ])('with %s is refused', async (_what, body, code) => {
    const text = await setEnv(body)
    expect([statusOf(text), codeOf(text)]).toEqual([400, code])
  })
  test('numbers too large for anything are refused where they count', async () => {
    for (const query of ['page=1e300', 'page=9007199254740993', 'page=Infinity', 'page=0x10000000000', 'pageSize=-1']) {
      const text = await say(request(`GET /audit?${query} HTTP/1.1`, [host, secret()]))
      expect([query, codeOf(text)]).toEqual([query, 'invalid-params'])
    }
    const far = await say(request('GET /audit?page=1000000000&pageSize=500 HTTP/1.1', [host, secret()]))
    expect(statusOf(far)).toBe(200)
  })
  test('that is packed is refused, and the answer says what is taken', async () => {
    const text = await setEnv(gzipSync('{"vars":{}}'), 'Content-Encoding: gzip')
    expect([statusOf(text), codeOf(text)]).toEqual([415, 'unsupported-media'])
    expect(text).toContain('accept-encoding: identity')
    expect(statusOf(await setEnv('{"vars":{}}', 'Content-Encoding: Identity'))).toBe(200)
  })
  test('that someone asks to send is asked for only where it will be read', async () => {
    const expecting = (...headers: string[]) =>
      say(
        request('POST /env HTTP/1.1', [host, 'Expect: 100-continue', 'Content-Type: application/json', ...headers]),
        (text) => text.includes('\r\n\r\n'),
      )
    expect(await expecting(secret(), 'Content-Length: 11')).toMatch(/^HTTP\/1\.1 100/)
    expect(await expecting('Content-Length: 11')).toMatch(/^HTTP\/1\.1 401/)
    expect(await expecting(secret(), 'Content-Length: 2000000')).toMatch(/^HTTP\/1\.1 413/)
    expect(await expecting('Origin: https://evil.example', 'Content-Length: 11')).toMatch(/^HTTP\/1\.1 403/)
    expect(statusOf(await setEnv('{"vars":{}}', 'Expect: a-miracle'))).toBe(200)
  })
})

describe('a method', () => {
  test('that says one thing twice is refused by the name of it', async () => {
    const ask = (target: string, ...more: string[]) => say(request(`GET ${target} HTTP/1.1`, [host, secret(), ...more]))
    const twice = await ask('/audit?page=1&pageSize=5&page=2')
    expect([statusOf(twice), codeOf(twice)]).toEqual([400, 'invalid-params'])
    expect(twice).toContain('\\"page\\" stands twice')
    expect(statusOf(await ask('/audit?page=1&pageSize=5'))).toBe(200)
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
    for (const query of ['since=1&since=2', 'token=a&token=b'])
      expect(statusOf(await ask(`/ws/events?${query}`, 'Connection: Upgrade', ...upgrade))).toBe(400)
  })

  test('HEAD is GET without its body', async () => {
    const [head, body] = (await say(request('HEAD /health HTTP/1.1', [host]))).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 200[\s\S]*content-length: [1-9]/)
    expect(body).toBe('')
    expect(statusOf(await say(request('HEAD /status HTTP/1.1', [host])))).toBe(401)
    expect(statusOf(await say(request('HEAD /env HTTP/1.1', [host, secret()])))).toBe(200)
  })
  test('CONNECT is answered like any other, and makes nobody a proxy', async () => {
    const connect = (...headers: string[]) => say(request('CONNECT evil.example:80 HTTP/1.1', headers))
    for (const [text, status] of [
      [await connect(host), 401],
      [await connect(host, secret()), 405],
      [await connect(host, secret(), 'Origin: https://evil.example'), 403],
      [await connect('Host: evil.example:80', secret()), 403],
    ] as const) {
      expect(statusOf(text)).toBe(status)
      expect(text).toContain('application/problem+json')
    }
  })
  test('OPTIONS says what there is to those who may know, and nothing to pages', async () => {
    const text = await say(request('OPTIONS /env HTTP/1.1', [host, secret()]))
    expect([statusOf(text), /allow: (.*)\r/i.exec(text)?.[1]]).toEqual([405, 'GET, HEAD, POST'])
    expect(statusOf(await say(request('OPTIONS /env HTTP/1.1', [host])))).toBe(401)
    const preflight = [host, 'Origin: https://evil.example', 'Access-Control-Request-Method: POST']
    const refused = await say(request('OPTIONS /env HTTP/1.1', preflight))
    expect(statusOf(refused)).toBe(403)
    expect(refused.toLowerCase()).not.toContain('access-control-allow')
  })
})

describe('an offer of another protocol, as Java and curl make it with plain requests', () => {
  const offer = (line: string, headers: readonly string[] = [], body = '') => {
    const offers = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA']
    const head = [line, host, ...offers, ...headers, '', ''].join('\r\n')
    return say(`${head}${body}`, (text) => text.endsWith('}'))
  }
  test('is not taken up, and the request is answered as any other', async () => {
    expect(statusOf(await offer('GET /health HTTP/1.1'))).toBe(200)
    expect(statusOf(await offer('GET /status HTTP/1.1'))).toBe(401)
    expect(statusOf(await offer('GET /status HTTP/1.1', [secret()]))).toBe(200)
    const json = [secret(), 'Content-Type: application/json', 'Content-Length: 11']
    const text = await offer('POST /env HTTP/1.1', json, '{"vars":{}}')
    expect([statusOf(text), text.includes('"success":true')]).toEqual([200, true])
    expect(statusOf(await offer('GET /health HTTP/1.1', ['Origin: https://evil.example']))).toBe(403)
  })
})

describe('an upgrade that cannot become a WebSocket', () => {
  const upgrade = (changes: Record<string, string | undefined>, line = 'GET /ws/exec?command=true HTTP/1.1') => {
    const headers = {
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
      ...changes,
    }
    const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
    const bytes = [line, host, secret(), 'Connection: Upgrade', ...lines, '', ''].join('\r\n')
    return say(bytes, (text) => text.startsWith('HTTP/1.1 101'))
  }
  test.each([
    [{ Upgrade: 'h2c' }, 400],
    [{ 'Sec-WebSocket-Key': 'short' }, 400],
    [{ 'Sec-WebSocket-Key': undefined }, 400],
    [{ 'Sec-WebSocket-Version': '8' }, 426],
    [{ 'Sec-WebSocket-Version': undefined }, 426],
    [{ 'Sec-WebSocket-Protocol': 'a,,b' }, 400],
    [{ 'Sec-WebSocket-Protocol': '' }, 400],
  ] as const)('%o is a problem, and nothing is run or written for it', async (changes, status) => {
    const before = (await rig.client.call('audit.list', { action: 'exec' })).total
    const text = await upgrade(changes)
    expect([statusOf(text), codeOf(text)]).toEqual([status, status === 426 ? 'upgrade-required' : 'bad-request'])
    expect(text).toContain('content-type: application/problem+json')
    expect(text).toContain('sec-websocket-version: 13')
    expect(/\r\nupgrade: websocket\r\n/.test(text)).toBe(status === 426)
    expect((await rig.client.call('audit.list', { action: 'exec' })).total).toBe(before)
  })
  test('by another method names the right one', async () => {
    const text = await upgrade({}, 'POST /ws/exec?command=true HTTP/1.1')
    expect([statusOf(text), /allow: (.*)\r/.exec(text)?.[1]]).toEqual([405, 'GET'])
  })
  test('with all that belongs to it becomes one', async () => {
    expect(statusOf(await upgrade({}, 'GET http://localhost/ws/events HTTP/1.1'))).toBe(101)
    expect(statusOf(await upgrade({ 'Sec-WebSocket-Protocol': 'binary, base64' }, 'GET /ws/events HTTP/1.1'))).toBe(101)
  })
})

describe('once', () => {
  test('a failure is the answer as well: the same key gets it again, and runs nothing', async () => {
    const ask = (key: string) =>
      say(
        request(
          'POST /env/NOT_THERE/reveal HTTP/1.1',
          [...[host, secret(), `Idempotency-Key: ${key}`, 'Content-Type: application/json', 'Content-Length: 16']],
          '{"reason":"why"}',
        ),
      )
    const before = (await rig.client.call('audit.list', { action: 'reveal_env' })).total
    const [first = '', second = ''] = await Promise.all([ask('failing'), ask('failing')])
    const third = await ask('failing')
    const body = (text: string) => text.split('\r\n\r\n')[1]
    expect([statusOf(first), codeOf(first)]).toEqual([403, 'forbidden'])
    expect([body(second), body(third)]).toEqual([body(first), body(first)])
    expect((await rig.client.call('audit.list', { action: 'reveal_env' })).total - before).toBe(1)
  })
})

test('a scraper that names the classic format gets that, and one that names none OpenMetrics', async () => {
  const ask = (accept: string) => say(request('GET /metrics HTTP/1.1', [host, `Accept: ${accept}`]))
  expect(await ask('text/plain;version=0.0.4;q=0.5,*/*;q=0.1')).toContain('# TYPE pilothouse_requests_total counter')
  for (const accept of ['text/plain', 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5']) {
    const text = await ask(accept)
    expect(text).toContain('# TYPE pilothouse_requests counter')
    expect(text.endsWith('\n# EOF\n')).toBe(true)
  }
})

test('a film is told of as RFC 9110 has it, to whoever asks for its head, or has it', async () => {
  const dir = path.join(rig.dataDir, 'recordings')
  mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, 'film.mp4'), 'x'.repeat(5000))
  const ask = (method: string, ...headers: string[]) =>
    say(request(`${method} /v1/desktop/recordings/film HTTP/1.1`, [host, secret(), ...headers]))
  const whole = await ask('HEAD', 'Range: bytes=0-9')
  expect(statusOf(whole)).toBe(200)
  expect(whole).toMatch(/\r\ncontent-length: 5000\r\n[^x]*\r\n\r\n$/i)
  expect(statusOf(await ask('GET', 'Range: bytes=0-9'))).toBe(206)
  const etag = /\r\netag: (\S+)/i.exec(whole)?.[1]
  const known = await ask('GET', `If-None-Match: ${etag}`)
  expect(statusOf(known)).toBe(304)
  expect(known).not.toMatch(/content-length/i)
})
