import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LogLine } from '../../shared/contract/logs.ts'
import { openStore, type Store } from '../store/store.ts'
import { TestClock } from '../test-clock.ts'
import { KeptLogs } from './kept-logs.ts'

let folder: string
let store: Store
let clock: TestClock
const line = (second: number, message = `line ${second}`, seq = 0): LogLine => ({
  timestamp: `2026-01-01T00:${String(Math.floor(second / 60) % 60).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}.000000000Z`,
  message,
  service: 'api',
  seq,
})
const kept = () => new KeptLogs(store, clock, () => {})

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ph-kept-'))
  store = openStore(path.join(folder, 'console.db'))
  clock = new TestClock()
})
afterEach(() => {
  store.close()
  fs.rmSync(folder, { recursive: true })
})

test('what was looked at is there in the next run, once, whatever overlaps', () => {
  const first = kept()
  first.seen('m1', [line(1), line(2)])
  first.seen('m1', [line(1), line(2), line(3)])
  first.flush()
  const next = kept()
  next.seen('m1', [line(3), line(3, 'same moment', 1)])
  expect(next.lines('m1', 'api').lines.map(({ message }) => message)).toEqual([
    'line 1',
    'line 2',
    'line 3',
    'same moment',
  ])
  expect(next.services('m1')).toMatchObject([{ service: 'api', lines: 4 }])
  expect(next.lines('m2', 'api')).toEqual({ savedAt: null, lines: [] })
})

test('it is bounded in lines, in the length of a line, and in logs', async () => {
  const logs = kept()
  const many = Array.from({ length: 3000 }, (_, index) => line(index, 'x'.repeat(index === 2999 ? 100_000 : 10)))
  for (let from = 0; from < many.length; from += 500) logs.seen('m1', many.slice(from, from + 500))
  const { lines } = logs.lines('m1', 'api')
  expect(lines).toHaveLength(2000)
  expect(lines.at(-1)?.message).toHaveLength(4097)
  for (let index = 0; index < 70; index++) {
    await clock.advance(1000)
    logs.seen('m2', [{ ...line(1), service: `s${index}` }])
    logs.flush()
  }
  expect(logs.services('m2')).toHaveLength(64)
  expect(logs.services('m2')[0]?.service).toBe('s69')
})

test('a machine that was removed is forgotten, and bytes that cannot be read are nothing', () => {
  const logs = kept()
  logs.seen('m1', [line(1)])
  logs.flush()
  logs.forget('m1')
  expect(logs.services('m1')).toEqual([])
  store.seenLogs.save('m1', { service: 'api', savedAt: 'now', lines: 1 }, Buffer.from('not packed'))
  expect(kept().lines('m1', 'api').lines).toEqual([])
})
