import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { goneMachine, keepFilledFleet } from '../../e2e/rigs/filled-fleet.ts'
import { newRollout } from '../deploys/new-rollout.ts'
import { apply, type RolloutEvent } from '../deploys/rollout.ts'
import { clearAtNextStart, clearIfWanted } from './begin-anew.ts'
import { exportData } from './export-data.ts'
import { allRows, keptData } from './kept-data.ts'
import { openStore, type Store } from './store.ts'

let folder = ''
let file = ''
let store: Store
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-data-'))
  file = path.join(folder, 'console.db')
  keepFilledFleet(folder)
  store = openStore(file)
  for (let seq = 0; seq < 200; seq++)
    store.events.add(goneMachine, { seq, time: '2026-01-01T00:00:00.000Z', type: 'x'.repeat(500) })
  store.events.flush()
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})
const part = (name: string) =>
  keptData(store.connection, file)
    .sizes()
    .parts.find((one) => one.part === name)

test('what is kept is counted and measured by parts', () => {
  const sizes = keptData(store.connection, file).sizes()
  expect(sizes.machines).toBe(3)
  expect(sizes.bytes).toBeGreaterThan(100_000)
  expect(sizes.auditBytes).toBeGreaterThan(0)
  expect(part('answers')).toMatchObject({ rows: 5 })
  expect(part('history')?.rows).toBe(200)
  expect(part('history')?.bytes).toBeGreaterThan(100_000)
  expect(part('deploys')?.rows).toBeGreaterThan(0)
})

test('one part is cleared, its room given back, and everything else stays', () => {
  const data = keptData(store.connection, file)
  const before = data.sizes()
  data.clear(['history'])
  expect(part('history')?.rows).toBe(0)
  expect(data.sizes().bytes).toBeLessThan(before.bytes - 100_000)
  expect(part('answers')?.rows).toBe(5)
  expect(store.machines.all()).toHaveLength(3)
  expect(store.audit.verify().sound).toBe(true)
})

test('the operator’s own takeovers are a part of their own: counted, exported, and cleared by themselves', async () => {
  const taken = { agentId: 'agent-1', machineId: goneMachine, machineName: 'shop-de-07' }
  const nothing = { requestId: null, requestToAcceptedMs: null, acceptedToControlMs: null, handBackToActingMs: null }
  const said = { outcome: 'resolved', note: 'a captcha', handedBackTo: 'none', heldMs: 5 }
  store.ownTakeovers.save(taken, [{ id: 1, time: '2026-01-01T00:00:00.000Z', operator: 'Ada', ...nothing, ...said }])
  store.machines.remove(goneMachine)
  expect(part('takeovers')?.rows).toBe(1)
  const target = path.join(folder, 'takeovers.json')
  await exportData(target, { version: '1', at: '2026-01-01T00:00:00.000Z' }, allRows(file))
  const read = JSON.parse(fs.readFileSync(target, 'utf8')) as { tables: Record<string, Record<string, unknown>[]> }
  expect(read.tables['own_takeovers']).toMatchObject([{ sandbox_name: 'shop-de-07', note: 'a captcha' }])
  keptData(store.connection, file).clear(['takeovers'])
  expect(part('takeovers')?.rows).toBe(0)
  expect(part('history')?.rows).toBe(200)
})

test('a deploy that is under way survives the clearing of those that ended', () => {
  const [ended] = store.rollouts.list({ limit: 1 })
  if (ended === undefined) throw new Error('there is one')
  store.rollouts.add({ ...ended, id: 0, key: 'now', status: 'paused', endedAt: null })
  keptData(store.connection, file).clear(['deploys'])
  expect(store.rollouts.list({ limit: 10 }).map(({ key }) => key)).toEqual(['now'])
})

test('a machine that is through keeps its row while its deploy is open, so that it can be looked for again', () => {
  const at = '2026-01-02T00:00:00.000Z'
  const wish = { tag: 'v9', operator: 'ada', at, maxUnavailable: 1, onFailure: 'continue' as const, force: false }
  const machines = ['m1', 'm2'].map((id) => ({ machineId: id, name: id, environment: 'prod' as const }))
  let rollout = store.rollouts.add(newRollout({ ...wish, machines }))
  const play = (...events: RolloutEvent[]) => {
    for (const event of events) rollout = store.rollouts.save(rollout, apply(rollout, event, at), [])
  }
  play(
    { type: 'begin', machineId: 'm1' },
    { type: 'checked', machineId: 'm1', facts: { baseline: 1 } },
    { type: 'ended', machineId: 'm1', end: 'lost', detail: 'silent' },
    { type: 'pause' },
  )
  const row = store.deploys.last(1, 'm1')
  keptData(store.connection, file).clear(['deploys'])
  expect(store.deploys.last(1, 'm1')).toEqual(row)
  expect(part('deploys')?.rows).toBe(0)
  play({ type: 'resume' }, { type: 'retry', machineIds: ['m1'], force: false })
  expect(rollout.legs[0]?.historyId).toBe(row[0]?.id)
})

test('the export is one JSON file with every table, readable inside, and the store can be used meanwhile', async () => {
  const target = path.join(folder, 'data.json')
  const writing = exportData(target, { version: '1', at: '2026-01-01T00:00:00.000Z' }, allRows(file))
  store.settings.set('meanwhile', true)
  expect(await writing).toBe(fs.statSync(target).size)
  expect(fs.statSync(target).mode & 0o777).toBe(0o600)
  const read = JSON.parse(fs.readFileSync(target, 'utf8')) as { tables: Record<string, Record<string, unknown>[]> }
  expect(read.tables['sandboxes']).toHaveLength(3)
  expect(read.tables['sandboxes']?.[0]?.['tunnel']).toMatchObject({ kind: 'direct' })
  expect(read.tables['events']).toHaveLength(200)
})

test('everything goes at the next start, once, and what is a machine’s own stays', () => {
  store.close()
  const logs = path.join(folder, 'logs')
  const pictures = path.join(folder, 'last-pictures')
  const agent = path.join(folder, 'local-agent')
  for (const made of [logs, pictures, agent]) {
    fs.mkdirSync(made)
    fs.writeFileSync(path.join(made, 'file'), 'x')
  }
  expect(clearIfWanted(folder, { store: file, logs, pictures })).toBe(false)
  clearAtNextStart(folder)
  expect(clearIfWanted(folder, { store: file, logs, pictures })).toBe(true)
  expect(clearIfWanted(folder, { store: file, logs, pictures })).toBe(false)
  expect(fs.existsSync(logs)).toBe(false)
  expect(fs.existsSync(pictures)).toBe(false)
  expect(fs.existsSync(path.join(agent, 'file'))).toBe(true)
  store = openStore(file)
  expect(store.machines.all()).toEqual([])
})
