import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newRecord } from '../fleet/new-record.ts'
import type { MachineRecord } from './machines.ts'
import { migrations } from './migrations/index.ts'
import { NewerStore } from './open.ts'
import { openStore } from './store.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-store-'))
  file = path.join(folder, 'deep', 'console.db')
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const machine: MachineRecord = {
  ...newRecord({
    id: 'm1',
    name: 'prod-01',
    environment: 'prod',
    machineType: 'ec2',
    tunnel: { kind: 'direct', host: '10.0.0.5', port: 8000 },
    provider: {
      kind: 'ec2',
      instanceId: 'i-0abc123def4567890',
      account: { region: 'eu-central-1', credentials: { kind: 'profile', profile: 'ops' } },
    },
    now: '2026-01-01T00:00:00.000Z',
  }),
  agentId: 'agent-1',
  state: 'running',
  lastVerifiedAt: '2026-01-01T00:00:01.000Z',
  agentVersion: '0.1.0',
  snapshot: { hostname: 'box' },
  lastSandbox: { contextId: 'shop', url: 'https://example.org/', width: 1280, height: 720, imageTag: null },
  autoStopEnabled: true,
  idleMinutes: 45,
}

test('a reopened store has what was written', () => {
  const first = openStore(file)
  first.machines.save(machine)
  first.machines.change(
    { ...machine, state: 'unknown', stateSince: '2026-01-02T00:00:00.000Z', verificationFailures: 4 },
    { at: '2026-01-02T00:00:00.000Z', from: 'running', to: 'unknown', reason: 'no answer' },
  )
  first.settings.set('theme', 'dark')
  const entry = first.audit.begin({
    sandboxId: 'm1',
    operator: 'ada',
    action: 'takeover',
    details: { reason: 'stuck' },
    createdAt: '2026-01-02T00:00:00.000Z',
  })
  expect(first.audit.last(1)).toMatchObject([{ id: entry, result: 'pending', durationMs: null }])
  first.audit.finish(entry, { result: 'success', errorMessage: null, durationMs: 12.4, at: '2026-01-02T00:00:01.000Z' })
  first.close()

  const second = openStore(file)
  expect(second.machines.all()).toEqual([
    { ...machine, state: 'unknown', stateSince: '2026-01-02T00:00:00.000Z', verificationFailures: 4 },
  ])
  expect(second.machines.transitions('m1')).toEqual([
    { at: '2026-01-02T00:00:00.000Z', from: 'running', to: 'unknown', reason: 'no answer' },
  ])
  expect(second.settings.get('theme')).toBe('dark')
  expect(second.audit.last(10)).toMatchObject([{ operator: 'ada', details: { reason: 'stuck' }, durationMs: 12 }])
  expect(second.audit.verify()).toMatchObject({ sound: true, entries: 2, broken: null })
  const shown = second.connection.prepare('SELECT instance_id, health_status, auto_stop_enabled FROM sandboxes').get()
  expect(shown).toEqual({ instance_id: 'i-0abc123def4567890', health_status: 'unknown', auto_stop_enabled: 1 })
  expect(second.setAside).toBeUndefined()
  second.machines.remove('m1')
  expect(second.machines.all()).toEqual([])
  second.close()
})

test('the first opening makes a private file at the newest version, in WAL mode', () => {
  const store = openStore(file)
  expect(store.connection.pragma('user_version', { simple: true })).toBe(migrations.length)
  expect(store.connection.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  store.close()
})

test('the columns that other tools know are there, and none is for a secret', () => {
  const store = openStore(file)
  const columns = (table: string) =>
    (store.connection.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name)
  const known =
    'id name environment instance_id instance_type public_ip private_ip status health_status last_health_check_at capacity current_load ssh_key_name novnc_url adspower_version browser_engine browser_config tags ec2_status last_started_at last_stopped_at auto_stop_enabled idle_minutes_before_stop machine_type agent_version agent_last_seen_at gh_image_tag gh_image_updated_at deployed_commit_sha'
  expect(columns('sandboxes')).toEqual(expect.arrayContaining(known.split(' ')))
  expect(columns('sandbox_audit_logs')).toEqual(
    expect.arrayContaining(
      'sandbox_id user_id action details ip_address result error_message duration_ms created_at'.split(' '),
    ),
  )
  expect(columns('sandbox_deploy_history')).toEqual(
    expect.arrayContaining(
      'sandbox_id image_tag commit_sha commit_message branch environment status triggered_by rollback_of error_message metadata'.split(
        ' ',
      ),
    ),
  )
  const tables = store.connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()
  for (const table of tables as string[]) {
    for (const column of columns(table)) expect(column).not.toMatch(/secret|password|passphrase|token|private_key/)
  }
  store.close()
})

test('a file that is not a database is put aside and the store begins anew', () => {
  fs.mkdirSync(path.dirname(file))
  fs.writeFileSync(file, 'this is no database, '.repeat(500))
  const store = openStore(file, () => new Date('2026-03-04T05:06:07.000Z'))
  expect(store.setAside).toBe(`${file}.corrupt-2026-03-04T05-06-07-000Z`)
  expect(fs.readFileSync(store.setAside ?? '', 'utf8')).toContain('this is no database')
  store.machines.save(machine)
  expect(store.machines.all()).toHaveLength(1)
  store.close()
})

test('a database with a torn page is put aside as well', () => {
  const first = openStore(file)
  for (let i = 0; i < 200; i++) first.machines.save({ ...machine, id: `m${i}`, snapshot: { filler: 'x'.repeat(500) } })
  first.close()
  const bytes = fs.readFileSync(file)
  // From the third page on: the header and the schema stay readable.
  bytes.fill(0xff, 8192)
  fs.writeFileSync(file, bytes)
  const store = openStore(file)
  expect(store.setAside).toContain('.corrupt-')
  expect(store.machines.all()).toEqual([])
  store.close()
})

test.each(['audit_chain', 'audit_pending', 'settings'])(
  'a damaged %s keeps no console from starting: the machines come along into a new store',
  (damagedTable) => {
    const first = openStore(file)
    first.machines.save(machine)
    first.audit.begin({ sandboxId: 'm1', operator: 'ada', action: 'wake', details: {}, createdAt: machine.createdAt })
    const find = first.connection.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck()
    const page = Number(find.get(damagedTable))
    const size = Number(first.connection.pragma('page_size', { simple: true }))
    first.close()
    const bytes = fs.readFileSync(file)
    bytes.fill(0xee, (page - 1) * size, page * size)
    fs.writeFileSync(file, bytes)
    const store = openStore(file)
    expect(store.setAside).toContain('.corrupt-')
    expect(store.machines.all()).toEqual([machine])
    expect(store.audit.verify()).toMatchObject({ sound: true, entries: 0 })
    expect(fs.readFileSync(store.setAside ?? '').equals(bytes)).toBe(true)
    store.close()
  },
)

test('a database of a newer version is left alone', () => {
  openStore(file).close()
  const raw = new Database(file)
  raw.pragma(`user_version = ${migrations.length + 1}`)
  raw.close()
  const before = fs.readFileSync(file)
  expect(() => openStore(file)).toThrow(NewerStore)
  expect(() => openStore(file)).toThrow(/newer version/)
  expect(fs.readFileSync(file).equals(before)).toBe(true)
})

test('a failed migration leaves the version it started from', () => {
  fs.mkdirSync(path.dirname(file))
  const raw = new Database(file)
  // In the way of the first migration's table.
  raw.exec('CREATE TABLE settings (other TEXT)')
  raw.close()
  expect(() => openStore(file)).toThrow(/settings/)
  const after = new Database(file)
  expect(after.pragma('user_version', { simple: true })).toBe(0)
  expect(after.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'sandboxes'").pluck().get()).toBe(0)
  after.close()
})
