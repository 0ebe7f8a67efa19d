import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import type { RunningAgent } from '../local-agent/local-agent.ts'
import { openStore, type Store } from '../store/store.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { compatibilityOf } from './compatibility.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet } from './fleet.ts'
import { LocalMachine } from './local-machine.ts'

let folder = ''
let store: Store
let agent: FakeAgent
let fleet: Fleet
let local: LocalMachine
const process = {
  running: undefined as RunningAgent | undefined,
  starts: [] as string[],
  fails: undefined as Problem | undefined,
  onUnexpectedEnd: () => {},
  async start(secret: string) {
    process.starts.push(secret)
    if (process.fails !== undefined) throw process.fails
    process.running = { pid: 1, socketPath: '/tmp/x', agentId: agent.agentId }
    return process.running
  },
  async stop() {
    process.running = undefined
  },
}

function begin(): void {
  const clock = new TestClock()
  const vault = new Vault({ open: () => Promise.reject(new Error('none')) })
  fleet = new Fleet({
    ...{ store, vault, clock, log: () => {} },
    openTunnel: () => ({ transport: () => agent.transport(), state: { state: 'up', detail: '' }, close: () => {} }),
    operator: () => 'ada',
    onChanged: () => {},
    onEvent: () => {},
  })
  local = new LocalMachine({ fleet, agent: process, vault, clock, startPage: async () => 'data:text/html,hello' })
  fleet.start()
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-local-'))
  store = openStore(path.join(folder, 'console.db'))
  agent = new FakeAgent()
  Object.assign(process, { running: undefined, starts: [], fails: undefined })
  begin()
})
afterEach(async () => {
  await fleet.stop()
  await settle()
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('trying it starts the agent with a long secret, then its browser, once for all who ask', async () => {
  const ids = await Promise.all([local.tryIt(), local.tryIt()])
  expect(ids).toEqual(['local', 'local'])
  expect(process.starts).toHaveLength(1)
  expect(Buffer.from(process.starts[0] ?? '', 'base64url')).toHaveLength(32)
  expect(agent.calls.filter((call) => call === 'POST /v1/browser/start')).toHaveLength(1)
  expect(fleet.view('local')).toMatchObject({ state: 'running', name: 'This computer', machineType: 'local_docker' })
})

test('a browser that runs already is left alone', async () => {
  agent.browser = { state: 'active' }
  await local.tryIt()
  expect(agent.calls).not.toContain('POST /v1/browser/start')
})

test('an agent that does not start leaves the machine gone with the reason, and can be tried again', async () => {
  process.fails = new Problem('start-failed', 'no such program')
  await expect(local.tryIt()).rejects.toMatchObject({ code: 'start-failed' })
  expect(fleet.view('local')).toMatchObject({ state: 'killed', problem: { detail: 'no such program' } })
  process.fails = undefined
  await local.tryIt()
  expect(fleet.view('local').state).toBe('running')
})

test('an agent that ends by itself is shown as gone and is not started again', async () => {
  await local.tryIt()
  process.running = undefined
  process.onUnexpectedEnd()
  await settle()
  expect(fleet.view('local')).toMatchObject({ state: 'killed', problem: { code: 'unreachable' } })
  expect(process.starts).toHaveLength(1)
})

test('after the console ended, in order or not, this computer is off until a person wants it', async () => {
  await local.tryIt()
  // As after `kill -9`: nothing was said to the store.
  await fleet.stop()
  begin()
  await settle()
  expect(fleet.view('local').state).toBe('terminated')
  expect(process.starts).toHaveLength(1)
  process.running = undefined
  await local.tryIt()
  await local.stop()
  expect(fleet.view('local').state).toBe('terminated')
  expect(process.running).toBeUndefined()
})

test('versions of one release fit; others are named with what to do', () => {
  expect(compatibilityOf('0.1.0', '0.1.7')).toBeNull()
  expect(compatibilityOf('0.1.0', null)).toBeNull()
  expect(compatibilityOf('0.2.0', '0.1.0')).toMatch(
    /console \(0.2.0\) is newer than the agent \(0.1.0\).*Update the agent/,
  )
  expect(compatibilityOf('0.1.0', '1.0.0')).toMatch(/Update the console/)
})
