import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answersStill } from '../../shared/domain/lifecycle.ts'
import { openStore, type Store } from '../store/store.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { announce } from './announce.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet } from './fleet.ts'

let folder = ''
let store: Store
let clock: TestClock
let agent: FakeAgent
let fleet: Fleet
let id = ''
const said: string[] = []
const vault = new Vault({ open: () => Promise.reject(new Error('none')) })

const makeFleet = () =>
  new Fleet({
    ...{ store, vault, clock, log: () => {}, operator: () => 'ada', onChanged: () => {}, onEvent: () => {} },
    openTunnel: () => ({
      transport: () => agent.transport(),
      state: { state: 'up', detail: '' },
      close: () => agent.dropSockets(),
    }),
    onTransition: (machineId, transition) =>
      announce(
        machineId,
        transition,
        {
          active: () => said.push('active'),
          terminated: (news) => said.push(news.state),
          gone: () => said.push('closed'),
        },
        answersStill(fleet.machine(machineId).record),
      ),
  })

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-lost-browser-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  agent = new FakeAgent()
  agent.browser = { state: 'active', resolution: { width: 1280, height: 720, dpi: 96 }, url: 'http://x/' }
  fleet = makeFleet()
  fleet.start()
  const tunnel = { kind: 'direct', host: '10.0.0.5', port: 8000 } as const
  const wish = { name: 'one', environment: 'prod', machineType: 'ssh_host', tunnel, secret: 's'.repeat(40) } as const
  id = (await fleet.add(wish)).id
  await clock.advance(100)
  said.length = 0
})
afterEach(async () => {
  await fleet.stop()
  await settle()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const browserIs = async (browser: FakeAgent['browser']) => {
  agent.browser = browser
  agent.emit('browser_state', { state: browser.state, url: null, reason: 'x' })
  await clock.advance(100)
}
const died = { state: 'failed', lastError: { code: 'browser-died', message: 'Chromium ended with 9.' } } as const
const history = () => store.machines.transitions(id).map(({ to }) => to)

test('a browser that died is a sandbox that is gone, at once; its machine is asked and followed on', async () => {
  await browserIs(died)
  expect(said).toEqual(['killed'])
  expect(fleet.view(id)).toMatchObject({
    state: 'killed',
    problem: { code: 'not-found', detail: expect.stringContaining('Chromium ended with 9.') },
    links: { agent: { state: 'up' }, docker: { state: 'up' }, browser: { state: 'down' } },
  })
  expect(store.machines.all()[0]).toMatchObject({ killedReason: 'terminated', killedAt: expect.any(String) })
  expect(await fleet.call(id, 'machine.status', {})).toMatchObject({ agentId: 'agent-1' })
  agent.emit('viewers', { count: 3 })
  await clock.advance(100)
  expect(fleet.view(id).viewers).toBe(3)
})

test('no check brings it back, and no silence of its machine changes what it is', async () => {
  await browserIs(died)
  agent.calls.length = 0
  await fleet.verify(id)
  expect(agent.calls).toContain('GET /status')
  expect(fleet.view(id).state).toBe('killed')
  agent.goAway()
  await clock.advance(60_000)
  expect(fleet.view(id)).toMatchObject({ state: 'killed', links: { agent: { state: 'off' } } })
  expect(() => fleet.client(id)).toThrow(/Wake it first/)
  agent.failure = undefined
  await clock.advance(60_000)
  expect(fleet.view(id)).toMatchObject({ state: 'killed', links: { agent: { state: 'up' } } })
  expect(history()).toEqual(['running', 'killed'])
})

test('a wake makes its browser anew without letting go of the machine', async () => {
  await browserIs(died)
  const { signal } = fleet.machine(id)
  agent.calls.length = 0
  expect(await fleet.wake(id)).toMatchObject({
    state: 'running',
    recreated: { restored: [expect.any(String), expect.any(String)] },
  })
  expect(agent.calls).toContain('POST /v1/browser/start')
  expect(signal.aborted).toBe(false)
  expect(history()).toEqual(['running', 'killed', 'starting', 'running'])
})

test('one that someone else started again is running again, as a wake', async () => {
  await browserIs(died)
  await browserIs({ state: 'active' })
  expect(fleet.view(id).state).toBe('running')
  expect(history()).toEqual(['running', 'killed', 'starting', 'running'])
})

test('a browser that its agent brings back, or that is stopped on purpose, is not gone', async () => {
  await browserIs({ ...died, restartsAt: '2026-01-01T00:00:00.000Z' })
  expect(fleet.view(id).state).toBe('running')
  await browserIs({ state: 'active' })
  await browserIs({ state: 'stopping' })
  await browserIs({ state: 'inactive' })
  // And one that never was there cannot be lost.
  await browserIs(died)
  expect(fleet.view(id).state).toBe('running')
  expect(history()).toEqual(['running'])
})

test('a browser that ended while the machine could not be heard is gone, also for the next run of the console', async () => {
  await fleet.stop()
  agent.browser = { state: 'inactive' }
  fleet = makeFleet()
  fleet.start()
  await clock.advance(1000)
  expect(fleet.view(id)).toMatchObject({ state: 'killed', links: { agent: { state: 'up' } } })
  await fleet.stop()
  fleet = makeFleet()
  fleet.start()
  await clock.advance(1000)
  expect(fleet.view(id)).toMatchObject({ state: 'killed', links: { agent: { state: 'up' } } })
})

test('when the machine itself turns out to be another one, it is let go of', async () => {
  await browserIs(died)
  agent.agentId = 'agent-2'
  await fleet.verify(id)
  expect(store.machines.all()[0]).toMatchObject({ state: 'killed', killedReason: 'not_found' })
  expect(() => fleet.client(id)).toThrow(/Wake it first/)
  agent.calls.length = 0
  await clock.advance(120_000)
  expect(agent.calls).toEqual([])
})
