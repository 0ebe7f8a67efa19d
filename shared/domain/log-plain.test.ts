import { expect, test } from 'vitest'
import { PlainDecoder, parseJournal, plainTime } from './log-plain.ts'
import { nanoTimeOf } from './log-time.ts'

const now = new Date(2026, 0, 10, 12).getTime()

test('old syslog lines mean the year they must', () => {
  expect(plainTime('Jan  9 05:22:01 host sshd[1]: x', now)).toBe(nanoTimeOf(new Date(2026, 0, 9, 5, 22, 1).getTime()))
  expect(plainTime('Dec 31 23:59:59 host x: y', now)).toBe(nanoTimeOf(new Date(2025, 11, 31, 23, 59, 59).getTime()))
  expect(plainTime('Foo 31 23:59:59 host x: y', now)).toBeUndefined()
})

test('new syslog lines and those of programs state their time', () => {
  expect(plainTime('2026-01-09T05:22:01.123456+00:00 host x: y', now)).toBe('2026-01-09T05:22:01.123456000Z')
  expect(plainTime('[2026-01-09 05:22:01.5] x', now)).toBe('2026-01-09T05:22:01.500000000Z')
})

test('a line without a time has that of the line before', () => {
  const decoder = new PlainDecoder(now, () => now)
  const lines = decoder.push(['first', '2026-01-09T05:22:01Z x\r', '  more', ''])
  expect(lines).toEqual([
    { timestamp: nanoTimeOf(now), text: 'first' },
    { timestamp: '2026-01-09T05:22:01.000000000Z', text: '2026-01-09T05:22:01Z x' },
    { timestamp: '2026-01-09T05:22:01.000000000Z', text: '  more' },
  ])
})

test('a journal entry, also one that is not text', () => {
  const entry = { __REALTIME_TIMESTAMP: '1767225600000001', SYSLOG_IDENTIFIER: 'sshd', _PID: '7', PRIORITY: '3' }
  expect(parseJournal(JSON.stringify({ ...entry, MESSAGE: 'no' }))).toEqual({
    timestamp: '2026-01-01T00:00:00.000001000Z',
    text: 'sshd[7]: no',
    level: 'error',
  })
  expect(parseJournal(JSON.stringify({ ...entry, MESSAGE: [104, 105, 255] }))?.text).toBe('sshd[7]: hi\ufffd')
  expect(parseJournal(JSON.stringify({ ...entry, MESSAGE: null }))?.text).toBe('sshd[7]: ')
  for (const bad of ['', '{', '{}', '[]', 'null']) expect(parseJournal(bad)).toBeUndefined()
})
