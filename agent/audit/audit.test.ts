import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AuditLog } from './audit.service.ts'
import { Writable } from './writable.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'audit-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const intent = { action: 'browser_start', operator: 'Ada', peer: 'unix', requestId: 'r', details: { n: 1 } } as const

function filled(): void {
  const audit = new AuditLog(dataDir)
  for (let i = 0; i < 5; i++) audit.finish(audit.begin(intent), { result: 'success', durationMs: 3 })
  expect(audit.verify()).toMatchObject({ sound: true, entries: 10, broken: null })
  audit.close()
}

function tamper(sql: string): ReturnType<AuditLog['verify']> {
  const database = new DatabaseSync(path.join(dataDir, 'audit.db'))
  database.exec(sql)
  database.close()
  const audit = new AuditLog(dataDir)
  const verdict = audit.verify()
  audit.close()
  return verdict
}

describe('the chain finds', () => {
  beforeEach(filled)
  test.each([
    ['an edited payload', `UPDATE links SET payload = replace(payload, 'Ada', 'Eve') WHERE seq = 3`, 3],
    ['an edited column', `UPDATE links SET operator = 'Eve' WHERE seq = 5`, 5],
    ['an edited time', `UPDATE links SET time = '2020-01-01T00:00:00.000Z' WHERE seq = 4`, 4],
    ['an edited action', `UPDATE links SET action = 'exec' WHERE seq = 5`, 5],
    ['a result that was made an intent', `UPDATE links SET kind = 'intent' WHERE seq = 6`, 6],
    ['a result that was given to another', 'UPDATE links SET of = 100 WHERE seq = 6', 6],
    ['a key that was put in', `UPDATE links SET idempotency_key = 'k' WHERE seq = 7`, 7],
    ['an edited hash', `UPDATE links SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE seq = 8`, 8],
    ['another beginning', `UPDATE links SET prev = '${'1'.repeat(64)}' WHERE seq = 1`, 1],
    ['a deleted entry', 'DELETE FROM links WHERE seq = 6', 6],
    ['a deleted first entry', 'DELETE FROM links WHERE seq = 1', 1],
    [
      'two that changed places',
      'UPDATE links SET seq = 100 WHERE seq = 3; UPDATE links SET seq = 3 WHERE seq = 5; UPDATE links SET seq = 5 WHERE seq = 100',
      3,
    ],
  ])('%s', (_what, sql, id) => {
    expect(tamper(sql)).toMatchObject({ sound: false, broken: { id } })
  })

  test('an entry that was edited together with its own hash', () => {
    const database = new DatabaseSync(path.join(dataDir, 'audit.db'))
    const link = database.prepare('SELECT * FROM links WHERE seq = 3').get() as Record<string, unknown>
    const payload = String(link['payload']).replace('Ada', 'Eve')
    const names = ['prev', 'seq', 'kind', 'of', 'time', 'action', 'operator', 'idempotency_key']
    const fields = [...names.map((name) => link[name]), payload]
    const forged = hash('sha256', JSON.stringify(fields), 'hex')
    database.close()
    // The link itself is in order now; the next one was written after another.
    const verdict = tamper(`UPDATE links SET payload = '${payload}', hash = '${forged}' WHERE seq = 3`)
    expect(verdict).toMatchObject({ sound: false, entries: 3, broken: { id: 4 } })
    expect(verdict.broken?.reason).toContain('does not follow')
  })

  test('an end that was cut off', () => {
    const verdict = tamper('DELETE FROM links WHERE seq > 8')
    expect(verdict).toMatchObject({ sound: false, broken: { id: 9 } })
    expect(verdict.broken?.reason).toContain('cut off')
  })
})

test('intents without a result are closed as unknown by the next start', () => {
  const before = new AuditLog(dataDir)
  before.finish(before.begin(intent), { result: 'success' })
  const open = before.begin({ ...intent, action: 'browser_stop' })
  expect(before.list({ page: 1, pageSize: 10 }).entries[0]).toMatchObject({ id: open, result: 'pending' })
  before.close()

  const after = new AuditLog(dataDir)
  const { entries, total } = after.list({ page: 1, pageSize: 10 })
  expect(total).toBe(2)
  expect(entries[0]).toMatchObject({ id: open, action: 'browser_stop', result: 'unknown' })
  expect(entries[1]).toMatchObject({ result: 'success' })
  expect(after.verify().sound).toBe(true)
  after.close()
})

test('entries are listed newest first, by page and by filter', () => {
  const audit = new AuditLog(dataDir)
  for (const operator of ['Ada', 'Bob', 'Ada']) {
    audit.finish(audit.begin({ ...intent, operator }), { result: 'failure', errorMessage: 'no', durationMs: 9 })
  }
  audit.recordSystem('hand_back', { reason: 'expired' })
  const page = audit.list({ page: 2, pageSize: 2 })
  expect(page.total).toBe(4)
  expect(page.entries.map((entry) => entry.operator)).toEqual(['Bob', 'Ada'])
  expect(page.entries[0]).toMatchObject({ result: 'failure', errorMessage: 'no', durationMs: 9, details: { n: 1 } })
  expect(audit.list({ page: 1, pageSize: 10, operator: 'Ada' }).total).toBe(2)
  expect(audit.list({ page: 1, pageSize: 10, action: 'hand_back' }).entries).toHaveLength(1)
  expect(audit.list({ page: 1, pageSize: 10, from: '2999-01-01T00:00:00Z' }).total).toBe(0)
  audit.close()
})

test('what a console said of its own end is kept, and told to it the next time', () => {
  const audit = new AuditLog(dataDir)
  const echo = (entries: number) =>
    audit.begin({
      ...{ action: 'audit_echo', operator: 'Ada', peer: 'unix', requestId: 'r' },
      details: { consoleId: 'c', console: { entries, head: String(entries).repeat(64).slice(0, 64) } },
    })
  echo(1)
  expect(audit.echoBefore('c')).toBeNull()
  const seen = audit.size
  const head = audit.head
  echo(2)
  expect(audit.echoBefore('c')).toMatchObject({ entries: 1, head: '1'.repeat(64) })
  expect(audit.echoBefore('another')).toBeNull()
  // What the console has seen of the agent's end it finds there again; of an end that was cut off, it does not.
  expect([audit.hashAt(seen), audit.hashAt(0), audit.hashAt(seen + 50)]).toEqual([head, '0'.repeat(64), null])
  audit.close()
  expect(tamper('DELETE FROM links WHERE seq > 0; DELETE FROM sqlite_sequence')).toMatchObject({
    sound: true,
    entries: 0,
  })
  const cut = new AuditLog(dataDir)
  expect(cut.hashAt(seen)).toBeNull()
  cut.close()
})

test('an entry that someone spoilt is named, and keeps nobody from reading the others or comparing the ends', () => {
  const audit = new AuditLog(dataDir)
  const echo = (entries: number) =>
    audit.begin({
      ...{ action: 'audit_echo', operator: 'Ada', peer: 'unix', requestId: 'r' },
      details: { consoleId: 'c', console: { entries, head: 'a'.repeat(64) } },
    })
  for (const entries of [1, 2, 3]) echo(entries)
  audit.finish(audit.begin(intent), { result: 'success' })
  const breaker = new DatabaseSync(path.join(dataDir, 'audit.db'))
  breaker.exec("UPDATE links SET payload = 'spoilt' WHERE seq = 2; UPDATE links SET payload = '[]' WHERE of = 4")
  breaker.close()
  expect(audit.echoBefore('c')).toMatchObject({ entries: 1 })
  const { entries } = audit.list({ page: 1, pageSize: 9 })
  expect(entries.map(({ id, action, result }) => [id, action, result])).toEqual([
    [4, 'browser_start', 'unknown'],
    [3, 'audit_echo', 'pending'],
    [2, 'audit_echo', 'unknown'],
    [1, 'audit_echo', 'pending'],
  ])
  expect(entries[2]).toMatchObject({ operator: 'Ada', errorMessage: expect.stringContaining('changed after') })
  expect(audit.changedAfter(0).entries).toHaveLength(4)
  expect(audit.verify()).toMatchObject({ sound: false, broken: { id: 2 } })
  audit.close()
})

test('half a letter in a name does not look like tampering', () => {
  const audit = new AuditLog(dataDir)
  audit.finish(audit.begin({ ...intent, operator: 'half a \ud83d' }), { result: 'failure', errorMessage: '\ude00' })
  expect(audit.verify()).toMatchObject({ sound: true, entries: 2 })
  audit.close()
})

test('a result that cannot be written does not undo what was done; an intent that cannot be written prevents it', () => {
  const logged: string[] = []
  const audit = new AuditLog(dataDir, (_level, message) => void logged.push(message))
  const id = audit.begin(intent)
  const breaker = new DatabaseSync(path.join(dataDir, 'audit.db'))
  breaker.exec('ALTER TABLE links RENAME TO gone')
  expect(() => audit.begin(intent)).toThrow(expect.objectContaining({ code: 'audit-unavailable' }))
  expect(logged).toEqual([])
  audit.finish(id, { result: 'success' })
  audit.recordSystem('hand_back', { reason: 'expired' })
  expect(logged).toHaveLength(2)
  breaker.exec('ALTER TABLE gone RENAME TO links')
  breaker.close()
  audit.finish(audit.begin(intent), { result: 'success' })
  expect(audit.verify()).toMatchObject({ sound: true, entries: 3 })
  audit.close()
  const next = new AuditLog(dataDir)
  expect(next.list({ page: 1, pageSize: 5 }).entries.map(({ result }) => result)).toEqual(['success', 'unknown'])
  next.close()
})

test('a log that takes no rows says why, to whoever listens as well, and is tried again without a change being asked for', () => {
  let now = 0
  let broken = false
  const tries: number[] = []
  const writable = new Writable(
    () => {
      tries.push(now)
      if (broken) throw new Error('database or disk is full')
    },
    () => now,
  )
  let told = 0
  const stop = writable.onChange(() => told++)
  expect(writable.look()).toBeUndefined()
  broken = true
  expect(writable.look()).toBeUndefined()
  now = 30_000
  expect(writable.look()).toContain('(database or disk is full), so every change is refused')
  writable.note(new Error('no such table'))
  expect([writable.look(), told]).toEqual([expect.stringContaining('(no such table)'), 1])
  broken = false
  now = 31_000
  expect([writable.look(), told, tries]).toEqual([undefined, 2, [0, 30_000, 31_000]])
  stop()
  writable.note(new Error('once more'))
  expect(told).toBe(2)
})

test('trying the log out leaves it as it was', () => {
  const audit = new AuditLog(dataDir)
  audit.begin(intent)
  const breaker = new DatabaseSync(path.join(dataDir, 'audit.db'))
  breaker.exec('ALTER TABLE links RENAME TO gone')
  expect(() => audit.begin(intent)).toThrow(expect.objectContaining({ code: 'audit-unavailable' }))
  expect(audit.writable.look()).toContain('every change is refused')
  audit.close()
  const next = new DatabaseSync(path.join(dataDir, 'audit.db'))
  next.exec('ALTER TABLE gone RENAME TO links')
  next.close()
  breaker.close()
  const again = new AuditLog(dataDir)
  expect(again.writable.look()).toBeUndefined()
  expect(again.verify()).toMatchObject({ sound: true, entries: 2 })
  again.begin(intent)
  expect(again.verify()).toMatchObject({ sound: true, entries: 3 })
  again.close()
})
