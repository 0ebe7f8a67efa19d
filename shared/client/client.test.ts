import net, { type AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { Problem } from '../errors.ts'
import { AgentClient } from './client.ts'
import { followEvents } from './events.ts'
import { nodeTransport } from './node.ts'
import type { Transport, TransportRequest, TransportSocket } from './transport.ts'
import { unreachable } from './unreachable.ts'

/** A transport that answers from a function and keeps what was asked. */
function answering(answer: (request: TransportRequest) => { status?: number; version?: string; body: string }) {
  const requests: TransportRequest[] = []
  const transport: Transport = {
    async request(request) {
      requests.push(request)
      const { status = 200, version = '0.1.0', body } = answer(request)
      return { status, headers: { 'x-pilothouse-version': version }, body: new TextEncoder().encode(body) }
    },
    socket: () => Promise.reject(new Error('no sockets here')),
    close() {},
  }
  return { requests, client: new AgentClient(transport, { secret: () => 'the-secret', operator: () => 'Zoë' }) }
}

const problem = (code: string, status: number) =>
  JSON.stringify({ type: `urn:pilothouse:problem:${code}`, title: 't', status, detail: 'd', code })

const version = { agentVersion: '0.1.0', ghosthandsVersion: null, dockerVersion: null, os: 'linux', arch: 'x64' }

async function failure(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof Problem) return error
  throw new Error('it did not fail with a problem')
}

describe('a call', () => {
  test('carries secret, operator and parameters where the contract says', async () => {
    const { client, requests } = answering(() => ({ body: '{"ok":true,"handedBackTo":"none","heldMs":1}' }))
    await client.nouns.takeover.handBack({ leaseId: 'abc', note: 'done' }, { idempotencyKey: 'k1' })
    expect(requests[0]).toMatchObject({
      method: 'DELETE',
      path: '/takeover/lease',
      body: '{"leaseId":"abc","note":"done"}',
    })
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer the-secret',
      'x-operator': 'Zo%C3%AB',
      'idempotency-key': 'k1',
    })
  })

  test('with a bad parameter is refused before anything is sent', async () => {
    const { client, requests } = answering(() => ({ body: '{}' }))
    const problem = await failure(client.call('browser.start', { width: 5 }))
    expect(problem.code).toBe('invalid-params')
    expect(problem.message).toContain('width')
    expect(requests).toEqual([])
  })
})

describe('an agent that does not keep to the contract', () => {
  test.each([
    ['no JSON', '<html>'],
    ['too deep', '['.repeat(100_000)],
    ['wrong types', '{"agentVersion":7}'],
  ])('gives an error for that machine: %s', async (_name, body) => {
    const { client } = answering(() => ({ body }))
    expect((await failure(client.call('machine.version'))).code).toBe('bad-answer')
  })

  test('with an error page that is no problem document says so', async () => {
    const { client } = answering(() => ({ status: 502, body: '<h1>Bad gateway</h1>' }))
    expect((await failure(client.call('machine.status'))).message).toContain('502')
  })
})

describe('console and agent of different versions', () => {
  test('a newer agent may say more than this console knows', async () => {
    const { client } = answering(() => ({ version: '0.2.0', body: JSON.stringify({ ...version, shiny: true }) }))
    expect(await client.call('machine.version')).toEqual(version)
    expect(client.agentVersion).toBe('0.2.0')
  })

  test('an older agent that lacks a call makes an error that says what to do', async () => {
    const { client } = answering(() => ({ version: '0.0.9', status: 404, body: problem('unknown-route', 404) }))
    const missing = await failure(client.call('audit.verify'))
    expect(missing.code).toBe('not-supported')
    expect(missing.message).toContain('0.0.9')
    expect(missing.message).toContain('Update the agent')
    expect(client.supports('audit.verify')).toBe(false)
  })

  test('an older agent is not told of parameters that it does not know, a newer one is', async () => {
    for (const [there, sent] of [
      ['0.0.9', ['vars']],
      ['0.1.0', ['vars', 'remove']],
      ['0.2.0', ['vars', 'remove']],
    ] as const) {
      const answers: Record<string, unknown> = {
        '/version': version,
        '/env': { success: true, updatedKeys: [], restarted: [], message: '' },
      }
      const { client, requests } = answering(({ path }) => ({ version: there, body: JSON.stringify(answers[path]) }))
      await client.call('machine.version')
      await client.call('env.set', { vars: { A: '1' }, remove: ['B'] })
      expect(Object.keys(JSON.parse(requests[1]?.body ?? '{}') as object)).toEqual(sent)
    }
  })

  test('an event of a newer agent is passed over, and the ones around it arrive', async () => {
    const seen: string[] = []
    const socket: TransportSocket = {
      onFrame: () => {},
      onClose: () => {},
      send: () => {},
      close: () => {},
      bufferedBytes: 0,
      pause: () => {},
      resume: () => {},
    }
    const client = new AgentClient({
      request: () => Promise.reject(new Error()),
      socket: async () => socket,
      close() {},
    })
    const stop = followEvents(client, { onEvent: (event) => seen.push(`${event.seq} ${event.type}`) })
    const say = (message: object) => socket.onFrame(JSON.stringify(message))
    await vi.waitFor(() => {
      say({ type: 'hello', seq: 1, agentId: 'a', agentVersion: '0.2.0', gap: false })
      say({ type: 'viewers', seq: 2, time: 't', count: 1 })
      expect(seen).toHaveLength(1)
    })
    say({ type: 'teleported', seq: 3, time: 't', where: 'elsewhere' })
    say({ type: 'viewers', seq: 4, time: 't', count: 2, byWhom: ['new key'] })
    expect(seen).toEqual(['2 viewers', '4 viewers'])
    stop()
  })

  test('a problem this console does not know keeps its words', async () => {
    const { client } = answering(() => ({ status: 418, body: problem('teapot', 418) }))
    const unknown = await failure(client.call('machine.status'))
    expect(unknown.message).toBe('d')
    expect(unknown.extra['code']).toBe('teapot')
  })
})

test('what the system says of a connection is put into words with a next step, and its own stand behind', () => {
  const hung = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  const problem = unreachable(hung)
  expect(problem).toMatchObject({ code: 'unreachable', cause: hung })
  expect(problem.message).toMatch(/^The connection was closed before an answer came.*\(socket hang up\)$/)
  expect(unreachable(new Error('something else')).message).toBe('something else')
  const known = new Problem('no-keychain', 'Enter it again.')
  expect(unreachable(known)).toBe(known)
})

test('a port where something else listens is told as that, and not in the parser’s words', async () => {
  const banner = net.createServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n'))
  await new Promise<void>((resolve) => banner.listen(0, '127.0.0.1', resolve))
  const client = new AgentClient(nodeTransport({ host: '127.0.0.1', port: (banner.address() as AddressInfo).port }))
  const problem = await failure(client.call('machine.version'))
  expect(problem.code).toBe('bad-answer')
  expect(problem.message).toMatch(/^What answers there is no agent.*SSH/)
  client.close()
  banner.close()
  const cut = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_EOF_STATE' })
  expect(unreachable(cut).code).toBe('unreachable')
})

test('a machine that cannot be reached, and a call that was given up, are told apart', async () => {
  const gone = new AgentClient({
    request: () => Promise.reject(new Error('connect ECONNREFUSED')),
    socket: () => Promise.reject(new Error('connect ECONNREFUSED')),
    close() {},
  })
  expect((await failure(gone.call('machine.health'))).code).toBe('unreachable')
  expect((await failure(gone.open('events'))).code).toBe('unreachable')

  const silent = new AgentClient({
    request: ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    socket: () => new Promise(() => {}),
    close() {},
  })
  const cancel = new AbortController()
  const pending = failure(silent.call('machine.health', {}, { signal: cancel.signal }))
  cancel.abort()
  expect((await pending).code).toBe('cancelled')
  expect((await failure(silent.call('machine.health', {}, { timeoutMs: 10 }))).code).toBe('timeout')
})
