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
let heard: string[]
const vault = new Vault({ open: () => Promise.reject(new Error('none')) })

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-own-lease-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  heard = []
  agent = new FakeAgent()
  fleet = new Fleet({
    ...{ store, vault, clock, log: () => {}, operator: () => 'ada', onChanged: () => {}, onEvent: () => {} },
    onLease: (_id, change) => heard.push(change),
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

const lease = () => ({ operator: 'ada', reason: '', ...agent.leaseTimes })
const take = async () => {
  await fleet.leases.take(id, fleet.client(id), { operator: 'ada', ttlMs: 300_000 })
  agent.takeover = { lease: lease() }
}

test('an agent that was killed and knows of no lease has ended the one held here', async () => {
  await take()
  agent.emit('takeover_lease', { change: 'taken', lease: lease() })
  await clock.advance(100)
  expect(fleet.view(id).lease?.mine).toBe(true)
  agent.takeover = { lease: null }
  agent.dropSockets()
  await clock.advance(15_000)
  expect(fleet.view(id).lease).toBeNull()
  expect(fleet.leases.leaseId(id)).toBeUndefined()
  expect(heard).toEqual(['held', 'lost'])
})

test('what ended the lease is told apart: its time, its browser, or a person', async () => {
  for (const [change, told] of [
    ['expired', 'ran_out'],
    ['ended', 'lost'],
    ['handed_back', 'over'],
  ] as const) {
    heard.length = 0
    await take()
    agent.emit('takeover_lease', { change, lease: null })
    await clock.advance(100)
    expect(heard).toEqual(['held', told])
  }
})

test('an answer that was on its way while control was taken does not end it', async () => {
  const answered = Promise.withResolvers<void>()
  agent.answersAfter = answered.promise
  agent.emit('browser_state', { state: 'active', url: null, reason: 'x' })
  const taking = fleet.leases.take(id, fleet.client(id), { operator: 'ada', ttlMs: 300_000 })
  answered.resolve()
  await taking
  await clock.advance(100)
  expect(fleet.leases.leaseId(id)).toBe('lease-1')
})

test('the end of an earlier lease that is told again does not end the one held now', async () => {
  agent.time = '2025-12-31T23:59:59.000Z'
  await take()
  agent.emit('takeover_lease', { change: 'expired', lease: null })
  await clock.advance(100)
  expect(fleet.leases.leaseId(id)).toBe('lease-1')
  agent.time = '2026-01-01T00:00:10.000Z'
  agent.emit('takeover_lease', { change: 'expired', lease: null })
  await clock.advance(100)
  expect(fleet.leases.leaseId(id)).toBeUndefined()
})
