import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../shared/contract/index.ts'
import type { WorkerView } from '../../shared/contract/workers.ts'
import type { MachineWorkers } from '../../shared/ipc-machine.ts'
import { openStore, type Store } from '../store/store.ts'
import { TestClock } from '../test-clock.ts'
import { Gathering } from './gathering.ts'
import { LastAnswers } from './last-answers.ts'
import { newRecord } from './new-record.ts'
import { WorkersBook } from './workers-book.ts'

let folder = ''
let store: Store
let clock: TestClock
const log = vi.fn()

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilothouse-answers-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
  for (const id of ['m1', 'm2'])
    store.machines.save(
      newRecord({
        ...{ id, name: id, environment: 'dev', machineType: 'ssh_host', now: '2026-01-01T00:00:00.000Z' },
        tunnel: { kind: 'direct', host: '10.0.0.1', port: 8000 },
      }),
    )
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true, force: true })
})
const answers = () => new LastAnswers({ store, clock, log })

const worker = (name: string, changed: Partial<WorkerView> = {}): WorkerView => ({
  ...{ workerId: name, containerId: `c-${name}`, containerName: name, status: 'idle', activeJobs: 0 },
  ...{ statusPort: 3101, uptime: 1000, image: 'ghosthands:v1', currentJob: null },
  ...changed,
})

test('values of variables never reach the disk, and everything else of them does', () => {
  const env = {
    vars: { PLAIN: 'canary-plain', API_KEY: '***' },
    redactedKeys: ['API_KEY'],
    fingerprints: { PLAIN: 'aa', API_KEY: 'bb' },
    duplicateKeys: [],
    saltMark: 'cc',
  }
  answers().note('m1', 'env.get', {}, env)
  expect(answers().get('m1', 'env.get')?.value).toMatchObject({
    vars: { PLAIN: '', API_KEY: '' },
    fingerprints: env.fingerprints,
    saltMark: 'cc',
  })
  store.connection.pragma('wal_checkpoint(TRUNCATE)')
  for (const file of fs.readdirSync(folder)) {
    expect(fs.readFileSync(path.join(folder, file)).includes('canary-plain')).toBe(false)
  }
})

test('only whole lists are kept, cut to what a person reads; what is too large is not', () => {
  const entry = { containerName: 'x' }
  answers().note('m1', 'audit.list', { page: 2 }, { entries: [entry], page: 2, pageSize: 1, total: 2 })
  answers().note('m1', 'audit.list', { action: 'exec' }, { entries: [entry], page: 1, pageSize: 1, total: 1 })
  expect(answers().get('m1', 'audit.list')).toBeNull()
  const many = Array.from({ length: 900 }, (_, index) => worker(`w${index}`))
  answers().note('m1', 'workers.list', {}, many)
  expect(answers().get('m1', 'workers.list')?.value).toHaveLength(500)
  answers().note('m2', 'workers.list', {}, [worker('x', { currentJob: 'j'.repeat(600_000) })])
  expect(answers().get('m2', 'workers.list')).toBeNull()
  answers().note('m1', 'browser.status', {}, { state: 'active' })
})

test('what was kept goes with its machine, and a removed machine gets nothing', () => {
  answers().note('m1', 'workers.list', {}, [worker('a')])
  store.machines.remove('m1')
  expect(answers().get('m1', 'workers.list')).toBeNull()
  answers().note('m1', 'workers.list', {}, [worker('a')])
  expect(answers().all('workers.list')).toEqual([])
})

test('an answer that this console no longer understands counts as none', () => {
  store.answers.save('m1', 'workers.list', '2026-01-01T00:00:00.000Z', [{ shape: 'of another time' }])
  expect(answers().get('m1', 'workers.list')).toBeNull()
  expect(answers().all('workers.list')).toEqual([])
})

test('workers come from the cache at once, follow the events, and are there for the next run', () => {
  const changes: MachineWorkers[] = []
  const book = () => new WorkersBook({ answers: answers(), clock, onChanged: (changed) => changes.push(changed) })
  const first = book()
  first.listed('m1', [worker('b')])
  const event = (data: object) => ({ seq: 1, time: '', type: 'worker', ...data }) as AgentEvent
  first.heard('m1', event({ worker: worker('a', { status: 'busy', activeJobs: 1 }), change: 'appeared' }))
  first.heard('m1', event({ worker: worker('b', { status: 'draining' }), change: 'draining' }))
  const shown = (from: WorkersBook) =>
    from
      .all()
      .map(({ machineId, workers }) => [machineId, workers.map(({ workerId, status }) => `${workerId} ${status}`)])
  expect(shown(first)).toEqual([['m1', ['a busy', 'b draining']]])
  expect(shown(book())).toEqual([['m1', ['a busy', 'b draining']]])
  first.heard('m1', event({ worker: worker('a'), change: 'removed' }))
  expect(changes.at(-1)?.workers.map(({ workerId }) => workerId)).toEqual(['b'])
  first.forget('m1')
  expect(changes.at(-1)).toMatchObject({ machineId: 'm1', workers: [] })
})

test('machines are asked one after the other, a silent one only once, and one without Docker not about it', async () => {
  const asked: string[] = []
  const gathered: string[] = []
  const machines = new Map([
    ['m1', true],
    ['m2', false],
  ])
  const gathering = new Gathering({
    fleet: {
      has: (id) => machines.has(id),
      view: (id) =>
        ({ links: { agent: { state: 'up' } }, capabilities: { docker: { available: machines.get(id) } } }) as never,
      call: (async (id: string, name: string) => {
        asked.push(`${id} ${name}`)
        return {}
      }) as never,
    },
    answered: (id, name) => gathered.push(`${id} ${name}`),
    ...{ clock, log },
  })
  gathering.want('m1')
  gathering.want('m1')
  gathering.want('m2')
  gathering.want('gone')
  expect(asked).toEqual([])
  await clock.advance(2000)
  expect(asked.filter((line) => line.startsWith('m1'))).toHaveLength(7)
  expect(asked.filter((line) => line.startsWith('m2'))).toEqual([])
  await clock.advance(500)
  expect(asked.filter((line) => line.startsWith('m2'))).toHaveLength(5)
  expect(asked).not.toContain('m2 containers.list')
  expect(gathered).toEqual(asked)
  gathering.stop()
})
