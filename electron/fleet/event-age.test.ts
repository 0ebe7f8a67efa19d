import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Notifications } from '../notifications.ts'
import { openStore, type Store } from '../store/store.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { EventAge } from './event-age.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet } from './fleet.ts'

/** Which failed deploys ring, from the machine's socket to the notification, with the machine's clock as it may be. */

const minute = 60_000
const hour = 60 * minute

const vault = new Vault({ open: () => Promise.reject(new Error('none')) })
let folder = ''
let store: Store
let clock: TestClock
let agent: FakeAgent
let fleet: Fleet
let notifications: Notifications
let rung: string[]
/** How far the machine's clock is ahead of the console's. */
let aheadMs = 0

function startFleet(): Fleet {
  const started = new Fleet({
    ...{ store, vault, clock, log: () => {} },
    openTunnel: () => ({
      transport: () => agent.transport(),
      state: { state: 'up', detail: '' },
      close: () => agent.dropSockets(),
    }),
    operator: () => 'ada',
    onChanged: () => {},
    onEvent: (id, event, ageMs) => notifications.heard({ id, name: 'prod-01' }, event, ageMs),
  })
  started.start()
  return started
}

async function added(): Promise<void> {
  await fleet.add({
    ...{ name: 'prod-01', environment: 'prod', machineType: 'ssh_host', secret: 'x'.repeat(40) },
    tunnel: { kind: 'direct', host: '10.0.0.5', port: 8000 },
  })
  await pass(100)
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-event-age-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  agent = new FakeAgent()
  rung = []
  aheadMs = 0
  notifications = new Notifications({
    choices: () => ({ takeovers: true, deploys: true, lost: false, sound: false }),
    show: ({ body }) => rung.push(body),
    focusedPlace: () => null,
    clock,
  })
  fleet = startFleet()
})
afterEach(async () => {
  await fleet.stop()
  notifications.stop()
  await settle()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function pass(ms: number): Promise<void> {
  await clock.advance(ms)
  agent.time = new Date(clock.now() + aheadMs).toISOString()
}

function fail(imageTag: string): void {
  agent.time = new Date(clock.now() + aheadMs).toISOString()
  agent.emit('deploy_finished', { deployId: 1, imageTag, status: 'failed', message: 'sick' })
}

/** Away for so long; what happens in it is given with the time after which it does. */
async function cut(ms: number, after = 0, happens = () => {}): Promise<void> {
  agent.goAway()
  await pass(after)
  happens()
  await pass(ms - after)
  agent.failure = undefined
  // The circuit may be open, and the way back takes its naps.
  await pass(2 * minute)
}

test('a deploy that fails now rings at once, however wrong the machine’s clock is', async () => {
  await added()
  for (const hours of [-30, -0.2, 0, 0.2, 30]) {
    aheadMs = hours * hour
    fail(`v${hours}`)
    await pass(11_000)
    expect(rung.pop()).toBe(`v${hours}: sick`)
  }
  expect(rung).toEqual([])
})

test('one that failed during a cut rings if it is news by the machine’s own clock, once', async () => {
  for (aheadMs of [-3 * hour, 3 * hour]) {
    await (fleet.list().length === 0 ? added() : pass(0))
    await cut(2 * hour, 2 * hour - minute, () => fail('news'))
    expect(rung).toEqual(['news: sick'])
    await cut(2 * hour, minute, () => fail('old'))
    await cut(minute)
    expect(rung).toEqual(['news: sick'])
    rung = []
  }
})

test('in a short cut the machine’s clock may be set as it likes; in a long one it is not believed when it was set back', async () => {
  await added()
  for (const set of [-3 * hour, 3 * hour]) {
    await cut(minute, 30_000, () => {
      fail('short')
      aheadMs += set
    })
    expect(rung.splice(0)).toEqual(['short: sick'])
  }
  await cut(3 * hour, minute, () => {
    fail('long')
    aheadMs -= 5 * hour
  })
  expect(rung).toEqual([])
})

test('the clock of this computer, set back or on during a cut, decides nothing where the machine says its time', () => {
  for (const set of [-3 * hour, 3 * hour]) {
    const age = new EventAge(clock)
    age.opened({ seq: 1, time: '2026-05-05T10:00:00.000Z' }, 1)
    clock.set(clock.now() + set)
    age.opened({ seq: 2, time: '2026-05-05T10:02:00.000Z' }, 1)
    expect(age.heard({ seq: 2, time: '2026-05-05T10:01:00.000Z' })).toBe(minute)
  }
})

test('an agent that does not say its time: a short cut rings, a long one does not', async () => {
  agent.saysTime = false
  await added()
  await cut(minute, 30_000, () => fail('short'))
  await cut(2 * hour, 2 * hour - minute, () => fail('long'))
  expect(rung).toEqual(['short: sick'])
})

test('a console that comes back rings for nothing that was before', async () => {
  await added()
  fail('told')
  await pass(11_000)
  await fleet.stop()
  fail('while it was off')
  fleet = startFleet()
  await pass(minute)
  expect(rung).toEqual(['told: sick'])
  fail('now')
  await pass(11_000)
  expect(rung).toEqual(['told: sick', 'now: sick'])
})

test('what is told again in several goes is as old in the last one', async () => {
  await added()
  await cut(2 * hour, minute, () => {
    // More than is taken of one machine at a time.
    for (let count = 0; count < 2500; count++) agent.emit('viewers', { count })
    fail('old')
  })
  await pass(minute)
  expect(rung).toEqual([])
  fail('now')
  await pass(11_000)
  expect(rung).toEqual(['now: sick'])
})

test('an agent whose numbers begin again is heard', async () => {
  await added()
  for (let count = 0; count < 5; count++) agent.emit('viewers', { count })
  await cut(minute, 0, () => agent.loseEvents())
  fail('anew')
  await pass(11_000)
  expect(rung).toEqual(['anew: sick'])
})
