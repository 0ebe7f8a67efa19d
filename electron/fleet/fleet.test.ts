import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import type { IpcEventData } from '../../shared/ipc.ts'
import { openStore, type Store } from '../store/store.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { announce } from './announce.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet, type FleetDeps } from './fleet.ts'

let folder = ''
let store: Store
let clock: TestClock
let agent: FakeAgent
let fleet: Fleet
const changes: IpcEventData<'fleet.changed'>[] = []
/** What windows hear at once. */
const said: string[] = []
const log = vi.fn()
const vault = new Vault({ open: () => Promise.reject(new Error('none')) })

/** What is said when a machine goes. */
const removal: Pick<FleetDeps, 'onParting' | 'onRemoved'> = {}

function makeFleet(): Fleet {
  return new Fleet({
    onParting: async (machineId) => removal.onParting?.(machineId),
    onRemoved: (machineId, name) => removal.onRemoved?.(machineId, name),
    ...{ store, vault, clock, log },
    openTunnel: () => ({
      transport: () => agent.transport(),
      state: { state: 'up', detail: '' },
      close: () => agent.dropSockets(),
    }),
    operator: () => 'ada',
    onChanged: (change) => changes.push(change),
    onEvent: () => {},
    onTransition: (machineId, transition) =>
      announce(machineId, transition, {
        active: (news) => said.push(`active ${news.machineId}`),
        terminated: (news) => said.push(`${news.state} ${news.machineId}`),
        gone: (gone) => said.push(`closed ${gone}`),
      }),
  })
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-fleet-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  agent = new FakeAgent()
  changes.length = 0
  said.length = 0
  log.mockClear()
  fleet = makeFleet()
  fleet.start()
})
afterEach(async () => {
  await fleet.stop()
  await settle()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const wish = {
  name: 'prod-01',
  environment: 'prod',
  machineType: 'ssh_host',
  tunnel: { kind: 'direct', host: '10.0.0.5', port: 8000 },
  secret: 'canary-secret-9f3b-canary-secret-9f3b',
} as const

async function added(): Promise<string> {
  const { id } = await fleet.add(wish)
  await clock.advance(100)
  return id
}

test('a machine is added when it answers: verified, kept, followed, and its secret only in the vault', async () => {
  const id = await added()
  expect(fleet.view(id)).toMatchObject({
    state: 'running',
    knownFrom: 'machine',
    hostname: 'box',
    lastVerifiedAt: expect.any(String),
    links: {
      tunnel: { state: 'up' },
      agent: { state: 'up' },
      docker: { detail: '3 containers' },
      browser: { state: 'off' },
    },
  })
  expect([...agent.secrets]).toEqual([`Bearer ${wish.secret}`])
  expect(agent.calls).toContain('WS /ws/events')
  expect(store.machines.transitions(id)).toMatchObject([{ from: 'starting', to: 'running' }])
  for (const file of fs.readdirSync(folder)) {
    expect(fs.readFileSync(path.join(folder, file)).includes(wish.secret)).toBe(false)
  }
  expect(JSON.stringify(changes)).not.toContain(wish.secret)
})

test('a machine that refuses the secret is not kept, and the reason is given', async () => {
  agent.refuse('unauthorized')
  await expect(fleet.add(wish)).rejects.toMatchObject({ message: expect.stringContaining('refuses this secret') })
  expect(fleet.list()).toEqual([])
  expect(store.machines.all()).toEqual([])
})

test('a machine that is removed with control gives it back, is asked once more, and leaves its name', async () => {
  const id = await added()
  const told: string[] = []
  removal.onParting = async (machineId) => void told.push(`parting ${fleet.has(machineId)}`)
  removal.onRemoved = (machineId, name) => void told.push(`${name} ${fleet.has(machineId)}`)
  await fleet.leases.take(id, fleet.client(id), { operator: 'ada', ttlMs: 60_000 })
  await fleet.remove(id)
  expect(agent.calls).toContain('DELETE /takeover/lease')
  expect(told).toEqual(['parting true', 'prod-01 false'])
})

test('a machine that nobody waits for any more is not added, even if it answers later', async () => {
  const abort = new AbortController()
  let answer = () => {}
  agent.answersAfter = new Promise((resolve) => {
    answer = resolve
  })
  const adding = fleet.add(wish, 'm', abort.signal)
  await settle()
  expect(agent.calls).toEqual(['GET /status'])
  abort.abort()
  await expect(adding).rejects.toMatchObject({ code: 'cancelled' })
  answer()
  await clock.advance(60_000)
  expect([fleet.list(), store.machines.all()]).toEqual([[], []])
  expect(agent.calls).toEqual(['GET /status'])
  await expect(vault.get('m', 'agent')).resolves.toBeUndefined()
})

test('the same machine cannot be added twice', async () => {
  await added()
  await expect(fleet.add(wish)).rejects.toMatchObject({ code: 'conflict' })
  expect(fleet.list()).toHaveLength(1)
})

test('the cached fleet is there at once, marked as such, and becomes true', async () => {
  const id = await added()
  await fleet.stop()
  fleet = makeFleet()
  expect(fleet.view(id)).toMatchObject({ state: 'running', knownFrom: 'cache', hostname: 'box' })
  fleet.start()
  await clock.advance(10)
  expect(fleet.view(id)).toMatchObject({ state: 'running', knownFrom: 'machine' })
})

test('a machine that stops answering: three more tries after 1, 2 and 4 s, then unknown', async () => {
  const id = await added()
  expect(fleet.view(id).roundTripMs).not.toBeNull()
  agent.calls.length = 0
  agent.goAway()
  const tries = () => agent.calls.filter((call) => call === 'GET /status').length
  await clock.advance(1000)
  expect([tries(), fleet.view(id).state]).toEqual([1, 'running'])
  expect(fleet.view(id).links.agent.state).toBe('busy')
  const seen: number[] = []
  for (let second = 0; second < 8; second++) {
    seen.push(tries())
    if (tries() < 4) expect(fleet.view(id).state).toBe('running')
    await clock.advance(1000)
  }
  expect(seen.slice(0, 8)).toEqual([1, 2, 2, 3, 3, 3, 3, 4])
  expect(fleet.view(id)).toMatchObject({
    state: 'unknown',
    links: { tunnel: { state: 'up' }, agent: { state: 'down' }, browser: { state: 'unknown' } },
    problem: { code: 'unreachable' },
    // That of the last answer is nobody's any more.
    roundTripMs: null,
  })
})

test('after five failures in a row there is one probe every 30 s, and recovery is seen by it', async () => {
  const id = await added()
  agent.goAway()
  await clock.advance(9000)
  while (store.machines.all()[0]?.verificationFailures !== 5) await clock.advance(1000)
  agent.calls.length = 0
  await clock.advance(29_000)
  expect(agent.calls).toEqual([])
  await clock.advance(1500)
  expect(agent.calls).toEqual(['GET /status'])
  agent.failure = undefined
  await clock.advance(30_500)
  expect(fleet.view(id)).toMatchObject({ state: 'running', problem: null })
  expect(store.machines.transitions(id).map((item) => item.to)).toEqual(['running', 'unknown', 'running'])
})

test.each([
  ['unauthorized', /refuses this secret/],
  ['unknown-host', /refuses this console/],
] as const)('%s is a matter of configuration: unknown at once, without further tries', async (code, message) => {
  const id = await added()
  agent.calls.length = 0
  agent.refuse(code)
  await fleet.verify(id)
  expect(fleet.view(id)).toMatchObject({ state: 'unknown', problem: { detail: expect.stringMatching(message) } })
  expect(agent.calls.filter((call) => call === 'GET /status')).toHaveLength(1)
})

test('an agent that is asked too often says how long to wait, and is waited for, within reason', async () => {
  const id = await added()
  for (const [told, waited] of [
    [3, 3000],
    [86_400, 60_000],
  ] as const) {
    agent.calls.length = 0
    agent.failure = new Problem('too-many-requests', 'slow down', { retryAfterSeconds: told })
    const checking = fleet.verify(id)
    await clock.advance(waited - 100)
    expect(agent.calls).toEqual(['GET /status'])
    expect(fleet.view(id).state).toBe('running')
    agent.failure = undefined
    await clock.advance(200)
    expect(await checking).toMatchObject({ state: 'running', problem: null })
  }
})

test('a machine that cannot be verified and is terminated by a person is gone by their hand', async () => {
  const id = await added()
  agent.refuse('unauthorized')
  await fleet.verify(id)
  expect(fleet.view(id).state).toBe('unknown')
  agent.failure = undefined
  await fleet.terminate(id, 'terminated by ada')
  expect(store.machines.all()[0]).toMatchObject({ state: 'killed', killedReason: 'manual' })
})

test('an answer that is not in the contract is unclear: unknown, and logged in full', async () => {
  const id = await added()
  agent.agentId = 7 as unknown as string
  expect((await fleet.verify(id)).state).toBe('unknown')
  expect(log).toHaveBeenCalledWith('warn', expect.stringContaining('unclear'), expect.anything())
})

test('another identity at the address is another machine: killed at once, and nothing calls it again', async () => {
  const id = await added()
  agent.agentId = 'agent-2'
  expect(await fleet.verify(id)).toMatchObject({ state: 'killed', problem: { code: 'not-found' } })
  expect(store.machines.all()[0]).toMatchObject({ killedReason: 'not_found', killedAt: expect.any(String) })
  agent.calls.length = 0
  await clock.advance(120_000)
  await fleet.verify(id)
  expect(agent.calls).toEqual([])
  expect(() => fleet.client(id)).toThrow(/Wake it first/)
})

test('only a person brings a machine back that was gone', async () => {
  const id = await added()
  agent.agentId = 'agent-2'
  await fleet.verify(id)
  const waking = fleet.wake(id)
  expect(fleet.wakes).toMatchObject([{ machineId: id, step: expect.any(String), since: expect.any(String) }])
  expect(await waking).toMatchObject({ state: 'running' })
  expect(fleet.wakes).toEqual([])
  expect(store.machines.transitions(id).map((item) => item.to)).toEqual(['running', 'killed', 'starting', 'running'])
  await expect(fleet.wake(id)).rejects.toMatchObject({ code: 'conflict' })
})

test('waking a machine that does not answer ends as gone, with the reason', async () => {
  const id = await added()
  agent.agentId = 'agent-2'
  await fleet.verify(id)
  agent.refuse('unauthorized')
  await expect(fleet.wake(id)).rejects.toThrow(/refuses this secret/)
  expect(fleet.view(id).state).toBe('killed')
})

test('a new secret is tried at once', async () => {
  const id = await added()
  agent.refuse('unauthorized')
  await fleet.verify(id)
  agent.failure = undefined
  expect(await fleet.setSecret(id, 'another-secret')).toMatchObject({ state: 'running' })
  expect(agent.secrets).toContain('Bearer another-secret')
})

test('what an event says is on screen with the next message to the windows', async () => {
  const id = await added()
  changes.length = 0
  agent.browser = { state: 'active', resolution: { width: 1280, height: 720, dpi: 96 } }
  agent.emit('browser_state', { state: 'active', url: null, reason: 'started' })
  agent.emit('viewers', { count: 3 })
  const lease = { operator: 'bob', reason: '', takenAt: 'x', expiresAt: 'y' }
  agent.emit('takeover_lease', { change: 'taken', lease })
  await clock.advance(60)
  expect(changes).toHaveLength(1)
  expect(changes[0]?.changed[0]).toMatchObject({
    id,
    viewers: 3,
    lease: { operator: 'bob', mine: false },
    links: { browser: { state: 'up', detail: '1280 × 720' } },
  })
})

test('without events the browser is still asked for every few seconds', async () => {
  agent.eventsWork = false
  const id = await added()
  agent.browser = { state: 'active' }
  await clock.advance(11_000)
  expect(fleet.view(id).browser?.state).toBe('active')
})

test('load is asked for every 5 s while a window is seen, every 30 s otherwise', async () => {
  await added()
  const asked = () => agent.calls.filter((call) => call === 'GET /metrics').length
  await clock.advance(20_000)
  expect(asked()).toBe(4)
  fleet.setVisible(false)
  await clock.advance(60_000)
  expect(asked()).toBe(6)
  fleet.setVisible(true)
  await clock.advance(10)
  expect(asked()).toBe(7)
})

test('a machine that falls silent without closing anything is noticed by the next tick', async () => {
  const id = await added()
  agent.failure = { code: 'ETIMEDOUT' }
  await clock.advance(5000 + 8000)
  expect(fleet.view(id)).toMatchObject({ state: 'unknown', links: { tunnel: { state: 'down' } } })
})

test('a removed machine is gone from store, vault and windows', async () => {
  const id = await added()
  await fleet.remove(id)
  await clock.advance(60)
  expect(store.machines.all()).toEqual([])
  expect(await vault.get(id, 'agent')).toBeUndefined()
  expect(changes.at(-1)?.removed).toEqual([id])
  expect(() => fleet.view(id)).toThrow(expect.objectContaining({ code: 'unknown-machine' } satisfies Partial<Problem>))
})

test('a lease is taken for the operator, renewed at most every 20 s, and given back at the end', async () => {
  const id = await added()
  await fleet.leases.take(id, fleet.client(id), { operator: 'ada', ttlMs: 300_000 })
  agent.calls.length = 0
  const renewals = () => agent.calls.filter((call) => call.endsWith('/renew')).length
  await fleet.leases.stillHere(id)
  await clock.advance(19_000)
  await fleet.leases.stillHere(id)
  expect(renewals()).toBe(0)
  await clock.advance(1000)
  await Promise.all([fleet.leases.stillHere(id), fleet.leases.stillHere(id)])
  expect(renewals()).toBe(1)
  await fleet.stop()
  expect(agent.calls).toContain('DELETE /takeover/lease')
  await expect(fleet.leases.stillHere(id)).rejects.toMatchObject({ code: 'lease-gone' })
})

test('how long control lasts is right whatever the clock of the machine says', async () => {
  const id = await added()
  // Six minutes behind this computer.
  agent.leaseTimes = { takenAt: '2025-12-31T23:54:00.000Z', expiresAt: '2025-12-31T23:59:00.000Z' }
  const lease = { operator: 'ada', reason: '', ...agent.leaseTimes }
  const left = () => Date.parse(fleet.view(id).lease?.expiresAt ?? '') - clock.now()
  await fleet.leases.take(id, fleet.client(id), { operator: 'ada', ttlMs: 300_000 })
  agent.emit('takeover_lease', { change: 'taken', lease })
  await settle()
  expect(fleet.view(id).lease).toMatchObject({ mine: true, operator: 'ada' })
  expect(left()).toBe(300_000)
  await clock.advance(100_000)
  expect(left()).toBe(200_000)
  changes.length = 0
  await fleet.leases.stillHere(id)
  await clock.advance(60)
  expect(left()).toBe(300_000 - 60)
  expect(changes.at(-1)?.changed[0]?.lease?.expiresAt).toBe(fleet.view(id).lease?.expiresAt)
})

test('what a machine became is announced in the same moment, and what hung on it ends when it is gone', async () => {
  const id = await added()
  expect(said).toEqual([`active ${id}`])
  // An agent that is merely silent may live: nothing is ended for that.
  agent.goAway()
  await clock.advance(20_000)
  expect(fleet.view(id).state).toBe('unknown')
  agent.failure = undefined
  await clock.advance(40_000)
  expect(said.splice(0)).toEqual([`active ${id}`, `active ${id}`])
  const before = clock.now()
  const waiting = fleet.call(id, 'machine.status', {})
  agent.agentId = 'agent-2'
  await fleet.verify(id)
  expect(said.splice(0)).toEqual([`killed ${id}`, `closed ${id}`])
  expect(clock.now()).toBe(before)
  await waiting.catch(() => {})
  await fleet.wake(id)
  expect(said.splice(0)).toEqual([`active ${id}`])
  await fleet.terminate(id, 'terminated by ada')
  expect(said.splice(0)).toEqual([`terminated ${id}`, `closed ${id}`])
})

test('a sandbox that is terminated ends its browser, is let go of, and stays so until it is woken', async () => {
  agent.browser = { state: 'active' }
  const id = await added()
  const view = await fleet.terminate(id, 'terminated by ada')
  expect(view).toMatchObject({ state: 'terminated', links: { agent: { state: 'off' } } })
  expect(agent.calls).toContain('POST /v1/browser/stop')
  expect(store.machines.transitions(id).at(-1)).toMatchObject({ to: 'terminated', reason: 'terminated by ada' })
  await expect(fleet.call(id, 'machine.status', {})).rejects.toMatchObject({ code: 'unreachable' })
})
