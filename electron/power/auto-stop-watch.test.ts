import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeAgent } from '../fleet/fake-agent.ts'
import { Fleet } from '../fleet/fleet.ts'
import type { Provider } from '../providers/provider.ts'
import { openStore, type Store } from '../store/store.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { AutoStopWatch } from './auto-stop-watch.ts'

const minute = 60_000
let folder = ''
let store: Store
let clock: TestClock
let agent: FakeAgent
let fleet: Fleet
let watch: AutoStopWatch
let stops = 0
let refusal: Error | undefined
const warnings: { machineId: string; stopsAt: string; reason: string }[] = []

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-autostop-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  agent = new FakeAgent()
  stops = 0
  refusal = undefined
  warnings.length = 0
  const provider: Provider = {
    ...{ kind: 'ssh_host', name: 'the box', actions: ['stop'] },
    stop: async () => {
      stops++
      if (refusal !== undefined) throw refusal
      agent.goAway()
    },
  }
  fleet = new Fleet({
    ...{ store, clock, log: () => {}, onChanged: () => {}, onEvent: () => {}, operator: () => 'ada' },
    vault: new Vault({ open: () => Promise.reject(new Error('none')) }),
    openTunnel: () => ({
      transport: () => agent.transport(),
      state: { state: 'up', detail: '' },
      close: () => agent.dropSockets(),
    }),
    makeProvider: () => provider,
  })
  fleet.start()
  watch = new AutoStopWatch({
    ...{ fleet, audit: store.audit, clock, log: () => {} },
    onWarning: (warning) => void warnings.push(warning),
  })
  watch.start()
})
afterEach(async () => {
  watch.stop()
  await fleet.stop()
  await settle()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function idleMachine(): Promise<string> {
  const { id } = await fleet.add({
    ...{ name: 'box', environment: 'dev', machineType: 'ssh_host', secret: 's'.repeat(32) },
    tunnel: { kind: 'direct', host: '10.0.0.5', port: 8000 },
  })
  fleet.machine(id).configure({ autoStopEnabled: true, idleMinutes: 30 })
  return id
}

const audited = () =>
  store.audit.list({ limit: 50 }).map(({ action, operator, result, details }) => ({
    ...{ action, operator, result },
    reason: String((details as { reason?: unknown }).reason),
  }))
const running = (id: string) => fleet.view(id).state === 'running'

test('an idle machine is warned of five minutes before, then stopped; both decisions and why are in the audit', async () => {
  const id = await idleMachine()
  await clock.advance(25 * minute)
  expect(warnings).toEqual([])
  await clock.advance(minute)
  expect(warnings).toMatchObject([{ machineId: id, reason: expect.stringContaining('no job, no terminal') as string }])
  expect(fleet.view(id).autoStop.stopsAt).toBe(warnings[0]?.stopsAt)
  expect(running(id)).toBe(true)
  await clock.advance(5 * minute)
  expect([fleet.view(id).state, stops, warnings.length]).toEqual(['paused', 1, 1])
  expect(audited().reverse()).toEqual([
    { action: 'auto_stop_warning', operator: 'auto-stop', result: 'success', reason: warnings[0]?.reason },
    { action: 'stop', operator: 'auto-stop', result: 'success', reason: expect.stringContaining('idle for 30 min') },
  ])
  // Off is off: it is neither asked nor stopped again.
  await clock.advance(60 * minute)
  expect(stops).toBe(1)
})

test('"keep it up" after the warning gives an hour, and then it is warned of again', async () => {
  const id = await idleMachine()
  await clock.advance(26 * minute)
  watch.keepUp(fleet.machine(id))
  await clock.advance(59 * minute)
  expect([running(id), warnings.length]).toEqual([true, 1])
  await clock.advance(2 * minute)
  expect([running(id), warnings.length]).toEqual([true, 2])
  await clock.advance(6 * minute)
  expect(fleet.view(id).state).toBe('paused')
})

test.each([
  ['an open terminal', { openTerminals: 1 }],
  ['a job of its own', { jobState: 'running' }],
  ['an agent that does not answer', { failure: { code: 'ETIMEDOUT' } }],
] as const)('%s keeps it up for good', async (_name, busy) => {
  const id = await idleMachine()
  await clock.advance(20 * minute)
  Object.assign(agent, busy)
  await clock.advance(90 * minute)
  expect([stops, warnings.length]).toEqual([0, 0])
  expect(fleet.view(id).state).not.toBe('paused')
})

test('a machine that cannot be stopped is not asked every half minute, and the audit says why it failed', async () => {
  const id = await idleMachine()
  refusal = new Error('not allowed')
  await clock.advance(40 * minute)
  expect([running(id), stops]).toEqual([true, 1])
  expect(audited()).toContainEqual(expect.objectContaining({ action: 'stop', result: 'failure' }))
})
