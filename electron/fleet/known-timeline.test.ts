import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { freshFolder } from '../../e2e/rigs/folder.ts'
import type { TimelineEntry } from '../../shared/contract/timeline.ts'
import { entry } from '../../shared/domain/timeline/book.ts'
import { openStore, type Store } from '../store/store.ts'
import { TestClock } from '../test-clock.ts'
import { knownTimeline } from './known-timeline.ts'
import { LastAnswers } from './last-answers.ts'
import { newRecord } from './new-record.ts'

let folder: ReturnType<typeof freshFolder>
let store: Store
const clock = new TestClock()
const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 3, 0, n)).toISOString()
const answers = () => new LastAnswers({ store, clock, log: vi.fn() })
const told = (...entries: TimelineEntry[]) =>
  answers().note('m1', 'timeline.list', { limit: 1000 }, { entries, revision: 9, more: false, now: second(50) })
const made = (n: number, more: Partial<Omit<TimelineEntry, 'kind'>> = {}) =>
  entry({ key: `k${n}`, kind: 'page', what: 'console-error', at: second(n), title: `Error ${n}`, ...more })

beforeEach(() => {
  folder = freshFolder('known-timeline')
  store = openStore(path.join(folder.folder, 'console.db'))
  store.machines.save(
    newRecord({
      ...{ id: 'm1', name: 'm1', environment: 'dev', machineType: 'ssh_host', now: second(0) },
      tunnel: { kind: 'direct', host: '10.0.0.1', port: 8000 },
    }),
  )
})
afterEach(() => {
  store.close()
  folder.remove()
})

test('without any answer it is pieced together from events and the audit, and what does not fit is left out', () => {
  expect(knownTimeline('m1', answers(), store)).toEqual({ at: null, entries: [] })
  const lease = { operator: 'Ada', reason: 'stuck', takenAt: second(10), expiresAt: second(60) }
  store.events.add('m1', { seq: 1, time: second(10), type: 'takeover_lease', change: 'taken', lease } as never)
  store.events.add('m1', {
    seq: 2,
    time: second(20),
    type: 'takeover_lease',
    change: 'handed_back',
    lease: null,
  } as never)
  store.events.add('m1', { seq: 3, time: second(21), type: 'takeover_lease', lease: 'nonsense' } as never)
  store.events.add('m1', { seq: 4, time: second(22), type: 'of_the_future', x: 1 } as never)
  const row = { createdAt: second(15), action: 'exec', operator: 'Ada', peer: 'unix', requestId: 'r', hash: '' }
  const entries = [{ id: 7, ...row, details: { command: 'df' }, result: 'success', errorMessage: null, durationMs: 20 }]
  answers().note('m1', 'audit.list', {}, { entries, page: 1, pageSize: 50, total: 1 })
  const known = knownTimeline('m1', answers(), store)
  expect(known.entries.map(({ title }) => title)).toEqual(['Ran df', 'Ada had control'])
  expect(known.entries[1]).toMatchObject({ until: second(20), running: false })
})

test('a timeline that was told grows, and events that came after it are added to it', () => {
  told(made(1), made(2, { running: true }))
  told(made(3))
  store.events.add('m1', { seq: 1, time: second(30), type: 'agent_started', agentVersion: '0.1.0' } as never)
  expect(knownTimeline('m1', answers(), store).entries.map(({ title }) => title)).toEqual([
    'Agent started',
    'Error 3',
    'Error 2',
    'Error 1',
  ])
})

test('what is kept on this computer is bounded, whatever a machine says', () => {
  told(...Array.from({ length: 3000 }, (_unused, n) => made(n, { detail: 'x'.repeat(5000), key: `k${n}` })))
  const kept = answers().get('m1', 'timeline.list')?.value.entries ?? []
  expect(kept).toHaveLength(800)
  expect(kept[0]?.title).toBe('Error 2999')
  expect(fs.statSync(path.join(folder.folder, 'console.db')).size).toBeLessThan(2_000_000)
})
