import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AuditEntry } from '../../shared/contract/audit.ts'
import { Problem } from '../../shared/errors.ts'
import { type AuditCursor, type AuditFilterWish, auditFilter, type MergedEntry } from '../../shared/ipc-audit.ts'
import { auditHandlers } from '../ipc/audit-handlers.ts'
import { exportMerged } from '../store/export-audit.ts'
import { openStore, type Store } from '../store/store.ts'
import { TestClock } from '../test-clock.ts'
import { AgentAudits } from './agent-audits.ts'

let folder = ''
let store: Store
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-audits-'))
  store = openStore(path.join(folder, 'console.db'))
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const begin = Date.parse('2026-01-01T00:00:00.000Z')
const timeOf = (second: number) => new Date(begin + second * 1000).toISOString()
const entry = (id: number, changed: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ id, createdAt: timeOf(id), action: 'exec', operator: 'ada', peer: '', requestId: `r${id}`, details: { n: id } },
  ...{ result: 'success', errorMessage: null, durationMs: 1, hash: String(id) },
  ...changed,
})

/** Machines whose agents answer as the real one does: newest first, by page, up to a time. */
function rig(records: Record<string, AuditEntry[]>) {
  const clock = new TestClock()
  const asked: string[] = []
  /** How a machine answers that does not answer as it should. */
  const odd = new Map<string, () => Promise<unknown>>()
  const off = new Set<string>()
  const machine = (id: string) => ({
    record: { id, agentId: `agent-${id}`, state: off.has(id) ? 'unknown' : 'running' },
  })
  const fleet = {
    machines: () => Object.keys(records).map(machine),
    machine,
    has: (id: string) => id in records,
    async call(
      id: string,
      _name: string,
      { page = 1, pageSize = 50, to }: { page?: number; pageSize?: number; to?: string },
    ) {
      asked.push(id)
      if (off.has(id)) throw new Problem('unreachable', 'It is off.')
      const otherwise = odd.get(id)
      if (otherwise !== undefined) return otherwise()
      const all = (records[id] ?? [])
        .filter((one) => to === undefined || one.createdAt <= to)
        .sort((a, b) => b.id - a.id)
      return { entries: all.slice((page - 1) * pageSize, page * pageSize), total: all.length, page, pageSize }
    },
  }
  const audits = new AgentAudits({ fleet: fleet as never, store, clock })
  const query = (filter: AuditFilterWish = {}, before?: AuditCursor, limit = 200) =>
    audits.query(auditFilter.parse(filter), before, limit)
  const all = async (filter: AuditFilterWish = {}, limit = 200) => {
    const found: MergedEntry[] = []
    for (let before: AuditCursor | undefined; ; ) {
      const page = await query(filter, before, limit)
      found.push(...page.entries)
      if (page.next === null) return found
      before = page.next
    }
  }
  return { audits, query, all, asked, off, odd, clock, records }
}

const many = (count: number, changed: Partial<AuditEntry> = {}) =>
  Array.from({ length: count }, (_, index) => entry(index + 1, changed))

test('everyone’s rows come newest first, each once, however they are paged', async () => {
  const { audits, all } = rig({ a: many(1300), b: many(700) })
  for (const action of ['start', 'stop'])
    store.audit.record(
      { sandboxId: 'a', operator: 'bob', action, details: {}, createdAt: timeOf(650.5) },
      { result: 'success', errorMessage: null, durationMs: 1 },
    )
  await audits.refresh(50)
  for (const limit of [7, 200, 500]) {
    const found = await all({}, limit)
    expect(found).toHaveLength(2002)
    expect(new Set(found.map(({ source, id }) => `${source} ${id}`)).size).toBe(2002)
    const times = found.map(({ at }) => at)
    expect(times).toEqual([...times].sort().reverse())
  }
})

test('a thousand entries of the same moment are still all found', async () => {
  const { audits, all } = rig({ a: many(1700, { createdAt: timeOf(5) }) })
  await audits.refresh(50)
  expect(new Set((await all()).map(({ id }) => id)).size).toBe(1700)
})

test('what is new is added to what is known; more than is read at once begins the copy anew, without a hole', async () => {
  const { audits, all, records } = rig({ a: many(10) })
  await audits.refresh(50)
  records['a'] = many(12)
  await audits.refresh(50)
  expect(await all()).toHaveLength(12)
  records['a'] = many(5000)
  await audits.refresh(50)
  const found = await all()
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 5000 }, (_, index) => 5000 - index))
})

test('an entry that was pending gets its end, and no other is ever changed by what an agent says later', async () => {
  const { audits, all, records } = rig({ a: [entry(1, { result: 'pending' }), entry(2)] })
  await audits.refresh(50)
  records['a'] = [
    entry(1, { result: 'failure', errorMessage: 'no' }),
    entry(2, { action: 'nothing', result: 'failure' }),
  ]
  await audits.refresh(50)
  const found = await all()
  expect(found.map(({ id, action, result }) => [id, action, result])).toEqual([
    [2, 'exec', 'success'],
    [1, 'exec', 'failure'],
  ])
})

test('of a machine that is off the copy is shown, and it is said that there may be more', async () => {
  const { audits, query, off } = rig({ a: many(900), b: many(3) })
  await audits.refresh(50)
  off.add('a')
  const page = await query({}, undefined, 500)
  expect(page.entries.filter(({ source }) => source === 'a')).toHaveLength(500)
  const end = await query({}, page.next ?? undefined, 500)
  expect(end.entries.map(({ source }) => source)).toEqual(['b', 'b', 'b'])
  expect(end.missing).toEqual(['a'])
  expect(audits.sources().find(({ source }) => source === 'a')).toMatchObject({ entries: 500, complete: false })
})

test('what a filter finds far below the copied rows is found', async () => {
  const records = many(5000)
  records[9] = entry(10, { action: 'stop' })
  const { audits, query, all } = rig({ a: records })
  await audits.refresh(50)
  const first = await query({ actions: ['stop'] })
  expect(first).toMatchObject({ entries: [], missing: [], next: { source: 'a', id: 4501 } })
  expect((await all({ actions: ['stop'] })).map(({ id }) => id)).toEqual([10])
  expect(audits.sources().find(({ source }) => source === 'a')).toMatchObject({ complete: true })
})

test('an agent that gives its newest page again and again is asked once, and counts as one that cannot be', async () => {
  const { audits, query, asked, odd } = rig({ a: many(900), b: many(3) })
  await audits.refresh(50)
  const newest = many(900).reverse().slice(0, 500)
  odd.set('a', async () => ({ entries: newest, total: 900, page: 1, pageSize: 500 }))
  asked.length = 0
  const found = await query({ actions: ['exec'] }, { at: timeOf(401), source: 'a', id: 401 })
  expect(found.entries.map(({ source }) => source)).toEqual(['b', 'b', 'b'])
  expect([found.next, found.missing]).toEqual([null, ['a']])
  expect(asked).toEqual(['a'])
})

test('an agent that gives ever new entries of one moment is not followed for ever', async () => {
  const { audits, query, asked, odd } = rig({ a: many(900) })
  await audits.refresh(50)
  let id = 1_000_000
  odd.set('a', async () => ({
    ...{ entries: Array.from({ length: 500 }, () => entry(--id, { createdAt: timeOf(401) })), total: 900 },
  }))
  asked.length = 0
  expect(await query({}, { at: timeOf(401), source: 'a', id: 401 })).toMatchObject({ next: null, missing: ['a'] })
  expect(asked.length).toBeLessThan(100)
})

test('rows at hand are shown at once, and many silent machines cost no more than one', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => `m${index}`)
  const { audits, query, odd, clock } = rig({ ...Object.fromEntries(ids.map((id) => [id, many(600)])), b: many(3) })
  await audits.refresh(50)
  for (const id of ids) odd.set(id, () => new Promise(() => {}))
  const first = await query({}, undefined, 500)
  expect(first.entries).toHaveLength(500)
  const rest = { at: timeOf(101), source: 'm0', id: 101 }
  const waiting = query({}, rest, 500)
  await clock.advance(10_000)
  const end = await waiting
  expect(end.entries.map(({ source }) => source)).toEqual(['b', 'b', 'b'])
  expect(end.missing).toHaveLength(30)
  // They are not waited for again a moment later.
  expect((await query({}, rest, 500)).missing).toHaveLength(30)
})

test('filters take sources, actions, results, people, times and words', async () => {
  const { audits, all } = rig({
    a: [entry(1), entry(2, { action: 'stop', operator: 'bob', result: 'failure', errorMessage: 'disk full' })],
    b: [entry(3, { details: { command: 'Uname -a' } })],
  })
  await audits.refresh(50)
  const ids = async (filter: AuditFilterWish) => (await all(filter)).map(({ id }) => id)
  expect(await ids({ sources: ['b'] })).toEqual([3])
  expect(await ids({ sources: ['console'] })).toEqual([])
  expect(await ids({ actions: ['stop'] })).toEqual([2])
  expect(await ids({ results: ['success'] })).toEqual([3, 1])
  expect(await ids({ operator: 'bob' })).toEqual([2])
  expect(await ids({ from: timeOf(2), to: timeOf(2) })).toEqual([2])
  expect(await ids({ text: 'uname' })).toEqual([3])
  expect(await ids({ text: 'DISK' })).toEqual([2])
  expect(await ids({ text: '%' })).toEqual([])
})

test('those that wait longest are asked first, a few at a time', async () => {
  const { audits, asked } = rig(Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`m${index}`, many(1)])))
  expect(await audits.refresh(3)).toMatchObject({ refreshed: 3, left: 2 })
  expect(await audits.refresh(2)).toMatchObject({ refreshed: 2, left: 0 })
  expect(new Set(asked).size).toBe(5)
})

test('an export reaches as far as the search, names those that could not be asked, and can be stopped', async () => {
  const records = many(3000)
  records[9] = entry(10, { action: 'stop' })
  const { audits, asked, off, odd } = rig({ a: records, b: many(900) })
  await audits.refresh(50)
  off.add('b')
  const file = path.join(folder, 'out.json')
  const handlers = auditHandlers({ store, agentAudits: audits, chooseFile: async () => file })
  const wish = { format: 'json' as const, filter: auditFilter.parse({ actions: ['stop'] }) }
  const exportIt = () => handlers['audit.exportMerged'](wish, undefined as never)
  expect(await exportIt()).toEqual({ file, entries: 1, missing: ['b'], stopped: false })
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject([{ source: 'a', id: 10 }])
  off.delete('b')
  let id = 401
  // A record without an end.
  odd.set('b', async () => ({ entries: Array.from({ length: 500 }, () => entry(--id)), total: 900 }))
  const endless = exportIt()
  await expect.poll(() => asked.filter((one) => one === 'b').length).toBeGreaterThan(10)
  await handlers['audit.stopExport']({}, undefined as never)
  expect(await endless).toMatchObject({ file, stopped: true })
})

test('an export has every row once, and no cell that a spreadsheet would run', async () => {
  const { audits, all } = rig({ a: [entry(1, { operator: '=cmd()' }), entry(2)] })
  await audits.refresh(50)
  const file = path.join(folder, 'out.csv')
  async function* pages() {
    yield await all()
  }
  expect(await exportMerged(file, 'csv', pages())).toBe(2)
  const text = fs.readFileSync(file, 'utf8')
  expect(text.split('\n')).toHaveLength(4)
  expect(text).toContain("'=cmd()")
  expect(await exportMerged(file, 'json', pages())).toBe(2)
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toHaveLength(2)
})
