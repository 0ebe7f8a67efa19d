import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../store/store.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet } from './fleet.ts'

let folder = ''
let store: Store
let clock: TestClock
let agent: FakeAgent
let fleet: Fleet
let id = ''
/** Whether a person was newly wanted, for each look at a machine without events. */
const polled: boolean[] = []
const vault = new Vault({ open: () => Promise.reject(new Error('none')) })

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-who-drives-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  agent = new FakeAgent()
  agent.takeover = { driver: { engine: 'stagehand', mode: 'dom' }, openRequests: 1 }
  fleet = new Fleet({
    ...{ store, vault, clock, log: () => {}, operator: () => 'ada', onChanged: () => {}, onEvent: () => {} },
    onPolled: (_id, { helpWanted }) => void polled.push(helpWanted),
    openTunnel: () => ({
      transport: () => agent.transport(),
      state: { state: 'up', detail: '' },
      close: () => agent.dropSockets(),
    }),
  })
  fleet.start()
  const tunnel = { kind: 'direct', host: '10.0.0.5', port: 8000 } as const
  const wish = { name: 'one', environment: 'prod', machineType: 'ssh_host', tunnel, secret: 's'.repeat(40) } as const
  id = (await fleet.add(wish)).id
  await clock.advance(100)
})
afterEach(async () => {
  await fleet.stop()
  await settle()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const says = async (type: string, data: object) => {
  agent.emit(type, data)
  await clock.advance(100)
}
const request = (state: string) => ({
  ...{ id: 'r1', state, reason: 'stuck', instruction: 'x', pageUrl: null, raisedAt: 'x', deadline: 'x', leftMs: 1000 },
  ...{ assignedTo: null, operator: null, jobId: null, runId: null },
})
const magnitude = { engine: 'magnitude', mode: null }

test('which engine drives is what the machine said last', async () => {
  expect(fleet.view(id).driver).toEqual({ engine: 'stagehand', mode: 'dom' })
  await says('engine_disconnected', { engine: 'stagehand', mode: 'dom', reason: 'a switch' })
  expect(fleet.view(id).driver).toBeNull()
  await says('engine_connected', { ...magnitude, url: 'about:blank', durationMs: 5 })
  expect(fleet.view(id).driver).toEqual(magnitude)
})

test('a person is wanted until the last open call for one is answered', async () => {
  expect(fleet.view(id).helpWanted).toBe(true)
  // Two were open, and one is still.
  await says('takeover_request', { change: 'declined', request: request('declined') })
  expect(fleet.view(id).helpWanted).toBe(true)
  agent.takeover = { driver: null, openRequests: 0 }
  await says('takeover_request', { change: 'accepted', request: request('accepted') })
  expect(fleet.view(id).helpWanted).toBe(false)
  await says('takeover_request', { change: 'raised', request: request('open') })
  expect(fleet.view(id).helpWanted).toBe(true)
})

test('without events a person who is wanted is told of once, and again when that is so again', async () => {
  agent.eventsWork = false
  agent.takeover = { driver: null, openRequests: 0 }
  agent.dropSockets()
  await clock.advance(15_000)
  polled.length = 0
  agent.takeover = { driver: null, openRequests: 1 }
  await clock.advance(35_000)
  expect(polled.filter((wanted) => wanted)).toHaveLength(1)
  expect(polled.length).toBeGreaterThan(2)
  agent.takeover = { driver: null, openRequests: 0 }
  await clock.advance(15_000)
  agent.takeover = { driver: null, openRequests: 1 }
  await clock.advance(15_000)
  expect(polled.filter((wanted) => wanted)).toHaveLength(2)
})

test('of a machine that cannot be heard, nobody knows who drives it or wants what', async () => {
  agent.goAway()
  await clock.advance(10_000)
  expect(fleet.view(id)).toMatchObject({ state: 'unknown', driver: null, helpWanted: false })
})

test('an agent that does not say is not guessed at', async () => {
  agent.takeover = {}
  await fleet.verify(id)
  await clock.advance(100)
  expect(fleet.view(id)).toMatchObject({ driver: null, helpWanted: false })
})

test('how far away a machine is, is measured again while its load comes by itself', async () => {
  const asked = () => agent.calls.filter((call) => call === 'GET /health').length
  const before = asked()
  // Its load comes every few seconds: nothing has to be asked for.
  const pass = async (seconds: number) => {
    for (let left = seconds; left > 0; left -= 5) {
      agent.sendMetrics()
      await clock.advance(5000)
    }
  }
  await pass(100)
  expect(asked()).toBe(before)
  await pass(30)
  expect(asked()).toBe(before + 1)
  await pass(60)
  expect(asked()).toBe(before + 1)
})

test('how well a machine is, is what it says of itself, with the reason', async () => {
  expect(fleet.view(id).health).toBeNull()
  agent.health = { status: 'degraded', reason: 'The audit log cannot be written.' }
  await says('health', agent.health)
  expect(fleet.view(id).health).toEqual(agent.health)
  agent.goAway()
  agent.dropSockets()
  await clock.advance(15_000)
  expect(fleet.view(id).health).toBeNull()
  agent.failure = undefined
  await clock.advance(60_000)
  expect(fleet.view(id).health).toEqual(agent.health)
  agent.health = { status: 'ok', reason: '' }
  await says('health', agent.health)
  expect(fleet.view(id).health).toEqual({ status: 'ok', reason: '' })
})

test('how far a machine’s clock is off is learned with each connection', async () => {
  agent.time = new Date(clock.now()).toISOString()
  agent.dropSockets()
  await clock.advance(5000)
  expect(fleet.view(id).links.agent.detail).not.toContain('clock')
  agent.time = new Date(clock.now() + 3 * 3_600_000).toISOString()
  agent.dropSockets()
  await clock.advance(5000)
  expect(fleet.view(id).links.agent.detail).toContain('clock 3 h ahead')
})
