import { afterEach, expect, test, vi } from 'vitest'
import { LineAssembler, type RawLine } from './log-lines.ts'
import { PlainDecoder, parseJournal, plainTime } from './log-plain.ts'
import { nanoTimeOf } from './log-time.ts'

const now = new Date(2026, 0, 10, 12).getTime()
afterEach(() => vi.unstubAllEnvs())

test('old syslog lines mean the year they must', () => {
  expect(plainTime('Jan  9 05:22:01 host sshd[1]: x', now)).toBe(nanoTimeOf(new Date(2026, 0, 9, 5, 22, 1).getTime()))
  expect(plainTime('Dec 31 23:59:59 host x: y', now)).toBe(nanoTimeOf(new Date(2025, 11, 31, 23, 59, 59).getTime()))
  expect(plainTime('Foo 31 23:59:59 host x: y', now)).toBeUndefined()
})

test('new syslog lines and those of programs state their time', () => {
  expect(plainTime('2026-01-09T05:22:01.123456+00:00 host x: y', now)).toBe('2026-01-09T05:22:01.123456000Z')
  expect(plainTime('2026-01-09 05:22:01.123 UTC [1] LOG: x', now)).toBe('2026-01-09T05:22:01.123000000Z')
  expect(plainTime('[2026-13-09 05:22:01.5] x', now)).toBeUndefined()
})

test.each([
  ['UTC', '2026-01-09T05:22:01', '2026-07-09T05:22:01'],
  ['America/New_York', '2026-01-09T10:22:01', '2026-07-09T09:22:01'],
  ['Asia/Kathmandu', '2026-01-08T23:37:01', '2026-07-08T23:37:01'],
])('a time without a zone is of the zone of the machine: %s', (zone, winter, summer) => {
  vi.stubEnv('TZ', zone)
  expect(plainTime('[2026-01-09 05:22:01.5] x', now)).toBe(`${winter}.500000000Z`)
  expect(plainTime('2026-07-09 05:22:01,123456789 x', now)).toBe(`${summer}.123456789Z`)
  expect(plainTime('2026-01-09T05:22:01Z x', now)).toBe('2026-01-09T05:22:01.000000000Z')
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

const trace = ['TypeError: no', '    at f (a.js:1:2)', '    at g (b.js:3:4)']
const bad = '{"level":50,"msg":"no"}'
const read = (raws: RawLine[]) => {
  const assembler = new LineAssembler('system')
  return [...assembler.push(raws), ...assembler.flush()].map(({ level, message }) => [level, message])
}

test.each([
  ['new', (words: string, pid: number) => `2026-01-09T05:22:01.123456+00:00 host node[${pid}]: ${words}`],
  ['old', (words: string, pid: number) => `Jan  9 05:22:01 host node[${pid}]: ${words}`],
])('in the %s form of syslog a trace stays together, and JSON says how bad it is', (_name, lineOf) => {
  const lines = [...trace, bad].map((words) => lineOf(words, 7))
  const decoder = new PlainDecoder(now, () => now)
  expect(read(decoder.push([...lines, lineOf('    at h', 8)]))).toEqual([
    ['error', [lines[0], ...trace.slice(1)].join('\n')],
    ['error', lines[3]],
    // Of another program: no part of anything.
    ['error', lineOf('    at h', 8)],
  ])
})

test('a program that writes the time itself has its traces together as well', () => {
  const lines = ['2026-01-09 05:22:01 main renderer: TypeError: no', ...trace.slice(1), '2026-01-09 05:22:02 next']
  expect(read(new PlainDecoder(now, () => now).push(lines))).toEqual([
    ['error', lines.slice(0, 3).join('\n')],
    [undefined, lines[3]],
  ])
})

test('in a journal a trace stays together, and what a line says of itself counts', () => {
  const entry = (MESSAGE: string, more = {}) =>
    JSON.stringify({
      ...{ __REALTIME_TIMESTAMP: '1767225600000001', SYSLOG_IDENTIFIER: 'node', _PID: '7', PRIORITY: '6', MESSAGE },
      ...more,
    })
  const entries = [...trace.map((words) => entry(words)), entry(bad), entry('up'), entry('hm', { PRIORITY: '4' })]
  expect(read(entries.flatMap((text) => parseJournal(text) ?? []))).toEqual([
    ['error', `node[7]: ${trace.join('\n')}`],
    ['error', `node[7]: ${bad}`],
    ['info', 'node[7]: up'],
    ['warn', 'node[7]: hm'],
  ])
})

test('a journal entry, also one that is not text', () => {
  const entry = { __REALTIME_TIMESTAMP: '1767225600000001', SYSLOG_IDENTIFIER: 'sshd', _PID: '7', PRIORITY: '3' }
  expect(parseJournal(JSON.stringify({ ...entry, MESSAGE: 'no' }))).toEqual({
    timestamp: '2026-01-01T00:00:00.000001000Z',
    text: 'sshd[7]: no',
    stream: 'sshd[7]: ',
    body: 9,
    level: 'error',
  })
  expect(parseJournal(JSON.stringify({ ...entry, MESSAGE: [104, 105, 255] }))?.text).toBe('sshd[7]: hi\ufffd')
  expect(parseJournal(JSON.stringify({ ...entry, MESSAGE: null }))?.text).toBe('sshd[7]: ')
  for (const bad of ['', '{', '{}', '[]', 'null']) expect(parseJournal(bad)).toBeUndefined()
})
