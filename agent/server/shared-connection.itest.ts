import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAgent, type TestAgent } from '../../e2e/rigs/agent.ts'
import { codeOf, rawRequest, say, statusOf } from '../../e2e/rigs/raw-http.ts'

/** Several requests on one connection, and what of one must not end in the answer of another. */
let rig: TestAgent
beforeAll(async () => {
  rig = await startTestAgent()
})
afterAll(() => rig.stop())

const host = 'Host: localhost'
const secret = () => `Authorization: Bearer ${rig.secret}`
const json = 'Content-Type: application/json'
const to = () => ({ host: '127.0.0.1', port: rig.port })
const keepAlive = 'Connection: keep-alive'
const garbage = '\x00garbage\r\n\r\n'
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
const exec = (command: string, ...headers: string[]) => {
  const body = JSON.stringify({ command })
  return rawRequest('POST /exec HTTP/1.1', [host, secret(), json, `Content-Length: ${body.length}`, ...headers], body)
}

describe('what cannot be read', () => {
  test('is refused after the answers to what came before it, each of which is whole', async () => {
    const text = await say(to(), Buffer.concat([exec('echo first', keepAlive), Buffer.from(garbage)]))
    expect(statuses(text)).toEqual([200, 400])
    expect(text).toContain('"stdout":"first\\n"')

    const dir = path.join(rig.dataDir, 'recordings')
    mkdirSync(dir, { recursive: true })
    writeFileSync(path.join(dir, 'film.mp4'), 'x'.repeat(3_000_000))
    const film = rawRequest('GET /v1/desktop/recordings/film HTTP/1.1', [host, secret(), keepAlive])
    const both = await say(to(), Buffer.concat([film, film, Buffer.from(garbage)]))
    expect(statuses(both)).toEqual([200, 200, 400])
    const films = [...both.matchAll(/\r\n\r\n(x+)HTTP/g)].map(([, body = '']) => body.length)
    expect(films).toEqual([3_000_000, 3_000_000])
  })

  test('in the body of the request itself is its answer', async () => {
    const headers = [host, secret(), json, 'Transfer-Encoding: chunked', keepAlive]
    const text = await say(to(), rawRequest('POST /env HTTP/1.1', headers, 'zz\r\n{"vars":{}}\r\n0\r\n\r\n'))
    expect(statuses(text)).toEqual([400])
  })

  test.each([
    ['no HTTP', garbage, 400, 'bad-request'],
    [
      'an address without end',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      431,
      'headers-too-large',
    ],
    ['a header over two lines', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n', 400, 'bad-request'],
    ['bare line ends', 'GET /health HTTP/1.1\nHost: localhost\n\n', 400, 'bad-request'],
  ])('such as %s gets a whole problem document, with an id as any other', async (_what, bytes, status, code) => {
    const text = await say(to(), bytes)
    expect([statusOf(text), codeOf(text)]).toEqual([status, code])
    const [head = '', body = ''] = text.split('\r\n\r\n')
    const problem = JSON.parse(body) as Record<string, unknown>
    expect(problem).toMatchObject({ type: `urn:pilothouse:problem:${code}`, status, detail: expect.any(String) })
    expect(head).toContain('content-type: application/problem+json')
    expect(/\r\nx-request-id: (\S+)/.exec(head)?.[1]).toBe(problem['requestId'])
    expect(head).toMatch(/\r\ndate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/)
  })
})

test('HTTP/1.0 knows no "100 Continue", and no WebSocket', async () => {
  const asking = [host, secret(), json, 'Expect: 100-continue', 'Content-Length: 11']
  expect(statuses(await say(to(), rawRequest('POST /env HTTP/1.0', asking, '{"vars":{}}')))).toEqual([200])
  const upgrade = [host, secret(), 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  const text = await say(to(), rawRequest('GET /ws/events HTTP/1.0', [...upgrade, key]), (got) => got.includes(' 101 '))
  expect([statusOf(text), codeOf(text)]).toEqual([400, 'bad-request'])
})

test('a change that is asked for by its address alone does not pass over a body', async () => {
  const erase = (body: string) =>
    say(
      to(),
      rawRequest('DELETE /env/NOT_THERE HTTP/1.1', [host, secret(), json, `Content-Length: ${body.length}`], body),
    )
  const text = await erase('{"restart":true}')
  expect([statusOf(text), codeOf(text)]).toEqual([400, 'invalid-params'])
  expect(await Promise.all(['', '{}'].map((body) => erase(body).then(statusOf)))).toEqual([404, 404])
})

describe('the operator', () => {
  const named = async (name: string) => {
    expect(statusOf(await say(to(), exec('true', `X-Operator: ${name}`)))).toBe(200)
    const { entries } = await rig.client.call('audit.list', { action: 'exec', pageSize: 1 })
    return entries[0]?.operator
  }
  test.each([
    ['in UTF-8, as curl sends what is typed', Buffer.from('Zoë 🙂').toString('latin1'), 'Zoë 🙂'],
    ['in Latin-1, as Python sends it', 'Zo\xeb', 'Zoë'],
    ['percent-encoded', encodeURIComponent('Zoë, 100 %'), 'Zoë, 100 %'],
    ['with a percent sign of its own', '100 %', '100 %'],
  ])('may be named %s', async (_how, header, name) => {
    expect(await named(header)).toBe(name)
  })
  test('with a name that is cut in the middle of a letter leaves the audit sound', async () => {
    expect(await named(encodeURIComponent(`${'a'.repeat(199)}🙂`))).toBe('a'.repeat(199))
    expect(await rig.client.call('audit.verify')).toMatchObject({ sound: true, broken: null })
  })
})
