import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Metrics } from '../../shared/contract/machine.ts'
import { newRecord } from '../fleet/new-record.ts'
import { type ChainLink, hashLink } from './audit-chain.ts'
import { exportAudit } from './export-audit.ts'
import { migrations } from './migrations/index.ts'
import { StoreInUse } from './open.ts'
import { openStore, type Store } from './store.ts'

let folder = ''
let file = ''
let store: Store
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-history-'))
  file = path.join(folder, 'console.db')
  store = openStore(file)
})
afterEach(() => {
  if (store.connection.open) store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const at = '2026-01-02T00:00:00.000Z'
const intent = (action: string) => ({ sandboxId: 'm1', operator: 'ada', action, details: { n: 1 }, createdAt: at })
const record = (action: string) =>
  store.audit.record(intent(action), { result: 'success', errorMessage: null, durationMs: 1 })

describe('the console’s audit', () => {
  const tamper = (sql: string) => {
    for (const action of ['start', 'stop', 'wake']) record(action)
    store.close()
    const raw = new Database(file)
    raw.exec(sql)
    raw.close()
    store = openStore(file)
    return store.audit.verify()
  }

  test.each([
    ['an edited row', "UPDATE sandbox_audit_logs SET user_id = 'eve' WHERE id = 2", /Entry 2 was changed/],
    ['an edited result', "UPDATE sandbox_audit_logs SET result = 'failure' WHERE id = 3", /Entry 3 was changed/],
    ['a deleted row', 'DELETE FROM sandbox_audit_logs WHERE id = 2', /Entry 2 was deleted/],
    [
      'an edited link',
      "UPDATE audit_chain SET payload = replace(payload, 'ada', 'eve') WHERE seq = 3",
      /Link 3 was changed/,
    ],
    ['an edited kind', "UPDATE audit_chain SET kind = 'intent' WHERE seq = 4", /Link 4 was changed/],
    ['an edited time', "UPDATE audit_chain SET at = '2020' WHERE seq = 4", /Link 4 was changed/],
    ['a link to another row', 'UPDATE audit_chain SET row = 1 WHERE seq = 4', /Link 4 was changed/],
    ['another beginning', `UPDATE audit_chain SET prev = '${'1'.repeat(64)}' WHERE seq = 1`, /Link 1 does not follow/],
    ['a deleted link', 'DELETE FROM audit_chain WHERE seq = 3', /Link 3 is missing/],
    ['moved links', 'UPDATE audit_chain SET seq = 99 WHERE seq = 1', /Link 1 is missing/],
    ['a cut tail', 'DELETE FROM audit_chain WHERE seq > 4', /cut off/],
    [
      'an added row',
      "INSERT INTO sandbox_audit_logs (user_id, action, details, result, created_at) VALUES ('eve', 'stop', '{}', 'success', '2026')",
      /Entry 4, or its result, is not in the chain/,
    ],
  ])('finds %s', (_name, sql, reason) => {
    expect(tamper(sql)).toMatchObject({ sound: false, broken: { reason: expect.stringMatching(reason) } })
  })

  test('an intent whose console was killed ends as unknown, and the chain stays sound', () => {
    store.audit.begin(intent('stop'))
    store.close()
    store = openStore(file)
    expect(store.audit.last(1)).toMatchObject([{ result: 'unknown', errorMessage: expect.stringContaining('ended') }])
    expect(store.audit.verify()).toMatchObject({ sound: true, entries: 2 })
  })

  test('finds a link that was edited together with its hash and its row', () => {
    for (const action of ['start', 'stop', 'wake']) record(action)
    const link = store.connection.prepare('SELECT * FROM audit_chain WHERE seq = 3').get() as ChainLink
    const payload = link.payload.replace('ada', 'eve')
    const forged = hashLink({ ...link, payload })
    store.connection.exec("UPDATE sandbox_audit_logs SET user_id = 'eve' WHERE id = 2")
    store.connection.prepare('UPDATE audit_chain SET payload = ?, hash = ? WHERE seq = 3').run(payload, forged)
    expect(store.audit.verify()).toMatchObject({
      ...{ sound: false, entries: 3 },
      broken: { id: 4, reason: expect.stringContaining('does not follow') },
    })
  })

  test('finds a result that was given to an intent behind its back', () => {
    store.audit.begin(intent('stop'))
    expect(store.audit.verify()).toMatchObject({ sound: true, entries: 1 })
    store.connection.exec("UPDATE sandbox_audit_logs SET result = 'success' WHERE id = 1")
    expect(store.audit.verify()).toMatchObject({ sound: false, broken: { id: 1 } })
  })

  test('half a letter, as an agent may say what went wrong, does not look like tampering', () => {
    store.audit.record(
      { ...intent('stop'), operator: 'half a \ud83d' },
      { result: 'failure', errorMessage: 'no \ude00 and \u0000', durationMs: 1 },
    )
    expect(store.audit.verify()).toMatchObject({ sound: true, entries: 2, broken: null })
    expect(store.audit.last(1)).toMatchObject([{ operator: 'half a \ufffd' }])
  })

  test('an acknowledged row is on the disk: its connection waits for it', () => {
    // The connection itself is not shown; the row is there for a reader that opens the file anew.
    record('start')
    const reader = new Database(file, { readonly: true })
    expect(reader.prepare('SELECT count(*) FROM audit_chain').pluck().get()).toBe(2)
    reader.close()
    // 2 is FULL: not even a computer without power loses what was acknowledged.
    expect(store.durable.pragma('synchronous', { simple: true })).toBe(2)
    const changes = () => store.durable.prepare('SELECT total_changes()').pluck().get()
    const before = changes() as number
    record('stop')
    expect(changes()).toBeGreaterThan(before)
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
    'is exported with %j as words',
    async (operator) => {
      store.audit.begin({ ...intent('stop'), operator })
      const csv = path.join(folder, 'words.csv')
      await exportAudit(store.audit, csv, 'csv', 10)
      expect(fs.readFileSync(csv, 'utf8')).toMatch(new RegExp(`,"?'[${operator[0]}]`))
    },
  )

  test('is filtered, paged, and exported without a formula in it', async () => {
    for (let index = 0; index < 23; index++) record(index % 2 === 0 ? 'start' : 'stop')
    store.audit.record(
      { ...intent('=HYPERLINK("x")'), sandboxId: null },
      { result: 'failure', errorMessage: 'a, "b"', durationMs: 5 },
    )
    expect(store.audit.list({ action: 'stop', limit: 3 }).map(({ id }) => id)).toEqual([22, 20, 18])
    expect(store.audit.list({ limit: 1, before: 24 })).toMatchObject([{ id: 23 }])
    const csv = path.join(folder, 'audit.csv')
    expect(await exportAudit(store.audit, csv, 'csv', 10)).toBe(24)
    const lines = fs.readFileSync(csv, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(25)
    expect(lines[1]).toContain(`"'=HYPERLINK(""x"")"`)
    expect(lines[1]).toContain('"a, ""b"""')
    const json = path.join(folder, 'audit.json')
    await exportAudit(store.audit, json, 'json', 8)
    expect(JSON.parse(fs.readFileSync(json, 'utf8'))).toHaveLength(24)
  })
})

const load = (cpu: number): Metrics => ({
  cpu: { usagePercent: cpu, cores: 2 },
  memory: { usedMb: 1, totalMb: 2, usagePercent: 50 },
  disk: { usedGb: 1, totalGb: 2, usagePercent: 50 },
  network: { rxBytesPerSec: 10, txBytesPerSec: 20 },
})

test('load is kept raw for a day, by five minutes for two weeks, and by the hour for a year', async () => {
  const tunnel = { kind: 'local' } as const
  store.machines.save(newRecord({ id: 'm1', name: 'x', environment: 'dev', machineType: 'ssh_host', tunnel, now: at }))
  const day = 24 * 60 * 60_000
  const now = Date.parse('2026-06-01T00:00:00.000Z')
  for (const daysAgo of [20, 2, 0.5]) {
    const start = now - daysAgo * day
    for (let minute = 0; minute < 120; minute++) store.metrics.add('m1', load(minute % 60), start + minute * 60_000)
    await store.metrics.thin(start + 180 * 60_000)
  }
  await store.metrics.thin(now)
  const count = (table: string) => store.connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect([count('metrics_raw'), count('metrics_5min'), count('metrics_hourly')]).toEqual([120, 48, 6])
  expect(store.metrics.history('m1', now - day / 2, now, now)).toMatchObject({ everyMs: 30_000 })
  const weeks = store.metrics.history('m1', now - 3 * day, now, now)
  expect(weeks.everyMs).toBe(300_000)
  expect(weeks.points).toHaveLength(48)
  expect(weeks.points[0]).toMatchObject({ cpu: 2, memory: 50, rx: 10, tx: 20 })
  const year = store.metrics.history('m1', now - 200 * day, now, now)
  expect(year.everyMs).toBe(3_600_000)
  expect(year.points).toHaveLength(6)
  expect(year.points[0]?.cpu).toBe(29.5)
})

test('a span of days has the last minutes as well, before they were thinned', async () => {
  const tunnel = { kind: 'local' } as const
  store.machines.save(newRecord({ id: 'm1', name: 'x', environment: 'dev', machineType: 'ssh_host', tunnel, now: at }))
  const week = 7 * 24 * 60 * 60_000
  const start = Date.parse('2026-06-01T00:00:00.000Z')
  for (let minute = 0; minute < 60; minute++) store.metrics.add('m1', load(10), start + minute * 60_000)
  await store.metrics.thin(start + 60 * 60_000)
  for (let minute = 60; minute < 70; minute++) store.metrics.add('m1', load(30), start + minute * 60_000)
  const now = start + 70 * 60_000
  const { everyMs, points } = store.metrics.history('m1', now - week, now, now)
  expect(everyMs).toBe(300_000)
  expect(points.map(({ cpu }) => cpu)).toEqual([...Array(12).fill(10), 30, 30])
  expect(new Set(points.map((point) => point.at)).size).toBe(14)
})

test('readings that came late fill holes, in every tier, and replace nothing', async () => {
  const tunnel = { kind: 'local' } as const
  store.machines.save(newRecord({ id: 'm1', name: 'x', environment: 'dev', machineType: 'ssh_host', tunnel, now: at }))
  const start = Date.parse('2026-06-01T00:00:00.000Z')
  const late = (minute: number) => ({ at: start + minute * 60_000, cpu: 30, memory: 50, disk: 50, rx: 10, tx: 20 })
  // Heard: the first and the last half hour of two hours.
  for (const minute of [...Array(30).keys(), ...Array.from({ length: 30 }, (_, n) => 90 + n)])
    store.metrics.add('m1', load(10), start + minute * 60_000)
  const now = start + 120 * 60_000
  await store.metrics.thin(now)
  const all = Array.from({ length: 121 }, (_, n) => late(n))
  const unfit = [late(-48 * 60), { ...late(60), at: late(60).at + 7 }, late(500)]
  store.metrics.fill('m1', [...unfit, ...all.slice(0, 120)], now)
  const day = store.metrics.history('m1', start, now, now).points
  expect(day.map(({ cpu }) => cpu)).toEqual([...Array(30).fill(10), ...Array(60).fill(30), ...Array(30).fill(10)])
  const week = store.metrics.history('m1', now - 7 * 86_400_000, now, now)
  expect(week.points.map(({ cpu }) => cpu)).toEqual([...Array(6).fill(10), ...Array(12).fill(30), ...Array(6).fill(10)])
  const hourly = store.connection.prepare('SELECT cpu FROM metrics_hourly ORDER BY at').pluck().all()
  expect(hourly).toEqual([20, 20])
})

test('of several readings in one half minute, one is kept', () => {
  const now = Date.parse(at)
  for (const ms of [0, 5000, 29_000, 30_000]) store.metrics.add('m1', load(ms / 1000), now + ms)
  expect(store.metrics.history('m1', now, now + 60_000, now + 60_000).points.map(({ cpu }) => cpu)).toEqual([0, 30])
})

test('a second console on the same file is refused, and may come once the first is gone', () => {
  expect(() => openStore(file)).toThrow(StoreInUse)
  expect(() => openStore(file)).toThrow(/in use by another Pilothouse console/)
  record('start')
  store.close()
  store = openStore(file)
  expect(store.audit.last(1)).toHaveLength(1)
})

test.each(Array.from(migrations.keys()))(
  'a file of version %i is brought to the newest with what it holds',
  (version) => {
    store.close()
    fs.rmSync(file)
    const old = new Database(file)
    for (const migration of migrations.slice(0, version)) old.exec(migration)
    old.pragma(`user_version = ${version}`)
    if (version >= 1) {
      old.exec(`INSERT INTO sandboxes (id, name, environment, machine_type, tunnel, state, state_since, created_at)
      VALUES ('old', 'kept', 'prod', 'ssh_host', '{"kind":"local"}', 'running', '${at}', '${at}')`)
      old.exec(`INSERT INTO sandbox_audit_logs (sandbox_id, user_id, action, result, created_at)
      VALUES ('old', 'ada', 'start', 'success', '${at}')`)
    }
    old.close()
    store = openStore(file)
    expect(store.connection.pragma('user_version', { simple: true })).toBe(migrations.length)
    expect(store.machines.all().map(({ name, provider }) => [name, provider])).toEqual(
      version >= 1 ? [['kept', null]] : [],
    )
    expect(store.audit.last(5)).toHaveLength(version >= 1 ? 1 : 0)
    expect(store.audit.verify().sound).toBe(true)
  },
)

test('events are kept by machine, the newest first, and not without end', () => {
  for (let seq = 1; seq <= 3000; seq++) store.events.add('m1', { seq, time: at, type: 'viewers', count: seq } as never)
  store.events.add('m2', { seq: 1, time: at, type: 'viewers' })
  expect(store.events.last('m1', 2)).toMatchObject([{ seq: 3000, data: { count: 3000 } }, { seq: 2999 }])
  expect(store.connection.prepare("SELECT count(*) FROM events WHERE sandbox_id = 'm1'").pluck().get()).toBeLessThan(
    2600,
  )
  expect(store.events.last('m2', 5)).toHaveLength(1)
})

test('a deploy is written before it begins, and changed as it goes on', () => {
  const base = { commitSha: null, commitMessage: null, branch: null, environment: 'prod', triggeredBy: 'ada' }
  const times = { createdAt: at, startedAt: null, completedAt: null }
  const id = store.deploys.add({
    ...base,
    ...times,
    ...{
      sandboxId: 'm1',
      imageTag: 'gh:2',
      status: 'pending',
      rollbackOf: null,
      errorMessage: null,
      metadata: { wave: 1 },
    },
  })
  store.deploys.change(id, { status: 'completed', completedAt: at })
  expect(store.deploys.last(5, 'm1')).toMatchObject([{ id, status: 'completed', metadata: { wave: 1 } }])
  expect(() => store.deploys.change(99, { status: 'failed' })).toThrow(/no deploy 99/)
})
