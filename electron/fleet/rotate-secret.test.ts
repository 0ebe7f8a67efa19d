import { beforeEach, expect, test, vi } from 'vitest'
import { AgentClient } from '../../shared/client/client.ts'
import type { Transport } from '../../shared/client/transport.ts'
import { contractVersion } from '../../shared/contract/index.ts'
import { Problem } from '../../shared/errors.ts'
import { type RotationDeps, SecretRotation } from './rotate-secret.ts'

const first = 'first-secret-first-secret-first-secret'

/** An agent that answers to some secrets and takes new ones, as far as the test lets it. */
class FakeAgent {
  accepts = new Set([first])
  /** What happens to the answer of a rotation, or to the rotation itself. */
  rotation: 'works' | 'refused' | 'answer-lost' | 'never-arrived' | 'lies' = 'works'
  silent = false

  transport(): Transport {
    return {
      request: async ({ path, headers, body }) => {
        if (this.silent) throw Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' })
        const secret = String(headers['authorization']).replace('Bearer ', '')
        if (!this.accepts.has(secret)) return answer(401, new Problem('unauthorized', 'no').toWire())
        if (path !== '/rotate-secret') return answer(200, status)
        if (this.rotation === 'refused') return answer(403, new Problem('forbidden', 'not here').toWire())
        if (this.rotation === 'never-arrived') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
        const { next } = JSON.parse(body ?? '') as { next: string }
        if (this.rotation !== 'lies') this.accepts.add(next)
        if (this.rotation === 'answer-lost') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
        return answer(200, { success: true, message: 'Taken.', oldValidUntil: '2026-01-01T00:01:00.000Z' })
      },
      socket: () => Promise.reject(new Error('not part of this test')),
      close: () => {},
    }
  }
}

const status = {
  ...{ agentId: 'agent-1', agentVersion: contractVersion, machineType: 'ssh_host', hostname: 'box' },
  ...{ os: { platform: 'linux', release: '6', arch: 'x64' }, docker: null, workers: 0, uptime: 1, capabilities: {} },
}
const answer = (code: number, body: unknown) => ({
  status: code,
  headers: { 'x-pilothouse-version': contractVersion },
  body: new TextEncoder().encode(JSON.stringify(body)),
})

let agent: FakeAgent
let kept: Map<string, string>
let keychain: 'ready' | 'missing'
let rotation: SecretRotation
const secretOf = (kind: string) => kept.get(`m1:${kind}`)

beforeEach(() => {
  agent = new FakeAgent()
  kept = new Map([['m1:agent', first]])
  keychain = 'ready'
  const client = () => new AgentClient(agent.transport(), { secret: () => secretOf('agent') })
  const machine = { record: { name: 'prod-01', tunnel: { kind: 'direct' }, agentId: 'agent-1' }, client }
  const fleet = {
    machine: () => machine,
    has: (id: string) => id === 'm1',
    call: (_id: string, name: 'machine.rotateSecret', params: { current: string; next: string }) =>
      client().call(name, params),
  } as unknown as RotationDeps['fleet']
  const vault = {
    state: async () => ({ state: keychain, detail: 'There is none.' }),
    get: async (id: string, kind: string) => kept.get(`${id}:${kind}`),
    set: async (id: string, kind: string, value: string) => {
      kept.set(`${id}:${kind}`, value)
      return 'keychain' as const
    },
    delete: async (id: string, kind: string) => void kept.delete(`${id}:${kind}`),
    list: async () =>
      [...kept.keys()].map((key) => {
        const [machineId = '', kind] = key.split(':')
        return { machineId, kind: kind as 'agent', since: '' }
      }),
  } as RotationDeps['vault']
  rotation = new SecretRotation({ fleet, vault, operator: () => 'ada', log: vi.fn() })
})

test('the new secret takes the place of the old one once the agent has answered to it', async () => {
  expect(await rotation.rotate('m1')).toMatchObject({ message: 'Taken.' })
  expect(secretOf('agent')).toMatch(/^[\w-]{43}$/)
  expect(secretOf('agent')).not.toBe(first)
  expect(agent.accepts.has(secretOf('agent') ?? '')).toBe(true)
  expect(secretOf('agent-next')).toBeUndefined()
})

test('a refusal leaves everything as it was', async () => {
  agent.rotation = 'refused'
  await expect(rotation.rotate('m1')).rejects.toMatchObject({ code: 'forbidden' })
  expect([secretOf('agent'), secretOf('agent-next')]).toEqual([first, undefined])
})

test('where only the answer was lost, the new secret is found to work', async () => {
  agent.rotation = 'answer-lost'
  await rotation.rotate('m1')
  expect(secretOf('agent')).not.toBe(first)
  expect(secretOf('agent-next')).toBeUndefined()
})

test('where the wish never arrived, the new secret is found not to work, and is forgotten', async () => {
  agent.rotation = 'never-arrived'
  await expect(rotation.rotate('m1')).rejects.toMatchObject({ code: 'unreachable' })
  expect([secretOf('agent'), secretOf('agent-next')]).toEqual([first, undefined])
})

test('an agent that says it took a secret and does not answer to it costs nobody the old one', async () => {
  agent.rotation = 'lies'
  await expect(rotation.rotate('m1')).rejects.toMatchObject({ code: 'bad-answer' })
  expect(secretOf('agent')).toBe(first)
})

test('a console that died in the middle finds out, at its next start, which of the two secrets counts', async () => {
  kept.set('m1:agent-next', 'second')
  agent.accepts = new Set(['second'])
  await rotation.settleAll()
  expect([secretOf('agent'), secretOf('agent-next')]).toEqual(['second', undefined])

  kept.set('m1:agent-next', 'third')
  await rotation.settleAll()
  expect([secretOf('agent'), secretOf('agent-next')]).toEqual(['second', undefined])

  kept.set('m1:agent-next', 'fourth')
  agent.silent = true
  await rotation.settleAll()
  expect([secretOf('agent'), secretOf('agent-next')]).toEqual(['second', 'fourth'])

  kept.set('gone:agent-next', 'of a machine that was removed')
  await rotation.settleAll()
  expect(kept.has('gone:agent-next')).toBe(false)
})

test('without a keychain nothing is rotated: the only copy would end with this run', async () => {
  keychain = 'missing'
  await expect(rotation.rotate('m1')).rejects.toMatchObject({ code: 'no-keychain' })
  expect(agent.accepts).toEqual(new Set([first]))
})
