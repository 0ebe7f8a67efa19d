import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newRecord } from '../fleet/new-record.ts'
import { settle, TestClock } from '../test-clock.ts'
import type { MachineRecord } from './machines.ts'
import { openStore, type Store } from './store.ts'
import { deadKeptMs, startUpkeep } from './upkeep.ts'

let folder = ''
let store: Store
const clock = new TestClock()
const before = (ms: number) => new Date(clock.now() - ms).toISOString()
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-upkeep-'))
  store = openStore(path.join(folder, 'console.db'))
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

function keep(id: string, changed: Partial<MachineRecord>): void {
  const tunnel = { kind: 'direct', host: '10.0.0.1', port: 1 } as const
  const record = newRecord({ id, name: id, environment: 'dev', machineType: 'ssh_host', tunnel, now: before(0) })
  store.machines.save({ ...record, ...changed })
}

test('machines that have been gone for long are cleaned up; those gone lately, or merely old, are not', async () => {
  const hour = 60 * 60_000
  keep('long-gone', { state: 'killed', killedAt: before(deadKeptMs + hour), killedReason: 'not_found' })
  keep('gone-lately', { state: 'terminated', killedAt: before(deadKeptMs - 2 * hour), killedReason: 'terminated' })
  keep('old-and-off', { state: 'paused', stateSince: before(10 * deadKeptMs) })
  keep('woken', { state: 'running', stateSince: before(deadKeptMs + hour) })
  const forgotten: string[] = []
  const forget = async (id: string) => {
    forgotten.push(id)
    store.machines.remove(id)
  }
  const stop = startUpkeep({ store, clock, log: () => {}, forget })
  expect(forgotten).toEqual([])
  await clock.advance(60_000)
  await settle()
  expect(forgotten).toEqual(['long-gone'])
  // And again every hour, for what grows old meanwhile.
  await clock.advance(3 * hour)
  await settle()
  expect(forgotten).toEqual(['long-gone', 'gone-lately'])
  expect(store.machines.all().map(({ id }) => id)).toEqual(['old-and-off', 'woken'])
  stop()
})
