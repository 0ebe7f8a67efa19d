import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import { FakeAgent } from '../fleet/fake-agent.ts'
import { Fleet } from '../fleet/fleet.ts'
import { createAuditor } from '../ipc/audited.ts'
import { createDispatch } from '../ipc/dispatch.ts'
import { settle, TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { type Connection, openDatabase } from './open.ts'
import { openStore, type Store } from './store.ts'

let folder = ''
let store: Store
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-full-'))
  store = openStore(path.join(folder, 'console.db'))
})
afterEach(() => {
  fill(both(), false)
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** SQLite's own answer to a disk without room, without filling one: not a page more than it has. */
function fill(connections: Connection[], isFull: boolean): void {
  for (const connection of connections) {
    const pages = Number(connection.pragma('page_count', { simple: true }))
    connection.pragma(`max_page_count = ${isFull ? pages : 1_000_000}`)
  }
}
const both = (): Connection[] => [store.connection, store.durable]

const entry = (note: string) => ({
  sandboxId: 'm1',
  operator: 'ada',
  action: 'deploy',
  details: { note },
  createdAt: '2026-01-01T00:00:00.000Z',
})
const filler = 'x'.repeat(20_000)

test('what was written stays, what cannot be written is an error, and with room again it goes on', () => {
  const kept = store.audit.begin(entry('before'))
  fill(both(), true)
  expect(() => store.audit.begin(entry(filler))).toThrow(expect.objectContaining({ code: 'audit-unavailable' }))
  expect(store.audit.last(10).map(({ id }) => id)).toEqual([kept])
  expect(store.connection.pragma('integrity_check', { simple: true })).toBe('ok')
  fill(both(), false)
  store.audit.begin(entry(filler))
  expect(store.audit.verify()).toMatchObject({ sound: true, entries: 2 })
})

test('a window is told, and what could not be written down is not done; what was done before stays done', async () => {
  const done: string[] = []
  const log = vi.fn()
  const dispatch = createDispatch({
    handlers: {
      'settings.set': ({ operator }: { operator?: string }) => {
        if (operator === 'again') store.settings.set('filler', filler)
        done.push(operator ?? '')
        if (operator === 'then full') fill(both(), true)
        return {}
      },
    } as never,
    ...{ log, checkResults: false },
    audit: createAuditor({ audit: store.audit, operator: () => filler, nameOf: () => undefined, clock: systemClock }),
  })
  const caller = { id: 1 } as never
  expect(await dispatch(caller, 'settings.set', { operator: 'then full' })).toMatchObject({ ok: true })
  expect(await dispatch(caller, 'settings.set', { operator: 'refused' })).toMatchObject({
    ok: false,
    problem: { code: 'audit-unavailable', detail: expect.stringContaining('nothing was done') },
  })
  expect(done).toEqual(['then full'])
  fill([store.durable], false)
  expect(await dispatch(caller, 'settings.set', { operator: 'again' })).toMatchObject({
    ok: false,
    problem: { code: 'storage-full', detail: expect.stringContaining('Make room') },
  })
  fill(both(), false)
  expect(await dispatch(caller, 'settings.set', { operator: 'again' })).toMatchObject({ ok: true })
})

test('machines are followed on a full disk as on any other', async () => {
  const [clock, agent, log] = [new TestClock(), new FakeAgent(), vi.fn()]
  const fleet = new Fleet({
    ...{ store, clock, log, operator: () => 'ada', onChanged: () => {}, onEvent: () => {} },
    vault: new Vault({ open: () => Promise.reject(new Error('none')) }),
    openTunnel: () => ({
      transport: () => agent.transport(),
      state: { state: 'up', detail: '' },
      close: () => agent.dropSockets(),
    }),
  })
  fleet.start()
  try {
    const { id } = await fleet.add({
      ...{ name: 'one', environment: 'dev', machineType: 'ssh_host', secret: 's'.repeat(40) },
      tunnel: { kind: 'direct', host: '10.0.0.5', port: 8000 },
    })
    await clock.advance(10)
    fill(both(), true)
    // Until not a row more fits.
    for (let seq = 0; seq < 300; seq++) agent.emit('viewers', { count: seq })
    agent.goAway()
    await clock.advance(20_000)
    expect(fleet.view(id)).toMatchObject({ state: 'unknown', links: { agent: { state: 'down' } } })
    agent.failure = undefined
    await clock.advance(40_000)
    expect(fleet.view(id)).toMatchObject({ state: 'running', problem: null })
    expect(log.mock.calls.map(([, words]) => words)).toContain('the history of a machine could not be kept')
  } finally {
    await fleet.stop()
    await settle()
  }
})

test('the same error comes from the file itself', () => {
  const opened = openDatabase(path.join(folder, 'other.db'))
  fill([opened.connection], true)
  const write = () => opened.connection.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('a', filler)
  expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }))
  opened.close()
})
