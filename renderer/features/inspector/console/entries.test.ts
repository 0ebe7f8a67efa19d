import { expect, test } from 'vitest'
import {
  calledEntry,
  type Draft,
  type Entry,
  folded,
  isRepeat,
  levels,
  loggedEntry,
  notYetThere,
  passes,
  placeText,
  recordedEntry,
  thrownEntry,
} from './entries.ts'

const frame = { functionName: 'pay', url: 'https://shop.example/app/cart.js?v=1', lineNumber: 11, columnNumber: 2 }
const called = (type: string, value: string, timestamp = 1000.5): Draft =>
  calledEntry({ type, args: [{ type: 'string', value }], timestamp, stackTrace: { callFrames: [frame] } })
const kept = (draft: Draft, more: Partial<Entry> = {}): Entry => ({
  ...draft,
  id: 1,
  count: 1,
  depth: 0,
  sessionId: undefined,
  ...more,
})

test('a call has its level, its place, and its stack where that is worth something', () => {
  expect(called('warning', 'x')).toMatchObject({ level: 'warn', text: 'x', line: 12, at: 1000.5, stack: [frame] })
  expect(called('log', 'x')).toMatchObject({ level: 'log', stack: [] })
  expect(called('trace', 'x').stack).toHaveLength(1)
  expect(called('assert', 'x').text).toBe('Assertion failed: x')
  expect(placeText(frame.url, 12)).toBe('cart.js:12')
  expect(placeText('data:text/html,<b>', 1)).toBe('data::1')
})

test('an error that nobody caught says its first line; the calls stand apart', () => {
  const exception = { type: 'object', subtype: 'error', description: 'TypeError: no\n    at pay (cart.js:12)' }
  const thrown = thrownEntry({
    timestamp: 1,
    exceptionDetails: { text: 'Uncaught', exception, stackTrace: { callFrames: [frame] } },
  })
  expect(thrown).toMatchObject({ level: 'error', text: 'Uncaught TypeError: no', stack: [frame] })
})

test('what is said twice in a row is counted, unless it can be opened or came from elsewhere', () => {
  const last = kept(called('log', 'tick'))
  expect(isRepeat(last, called('log', 'tick', 2000), 0)).toBe(true)
  expect(isRepeat(last, called('error', 'tick'), 0)).toBe(false)
  expect(isRepeat(last, called('log', 'tock'), 0)).toBe(false)
  expect(isRepeat(last, called('log', 'tick'), 1)).toBe(false)
  const object = { type: 'object', objectId: '1', description: 'Object' }
  const withObject = calledEntry({ type: 'log', args: [object], timestamp: 1 })
  expect(isRepeat(kept(withObject), withObject, 0)).toBe(false)
})

test('of the agent’s record only what is not there yet is added, each as often as it was said', () => {
  const record = (timestamp: string) => recordedEntry({ level: 'log', text: 'x', url: null, line: null, timestamp })
  const known = [kept(called('log', 'x', Date.parse('2026-01-01T00:00:01.000Z') + 0.25))]
  const drafts = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.000Z'].map(record)
  expect(notYetThere(drafts, known)).toHaveLength(2)
  // Three times in a row: the first two moments are known by the count alone.
  const thrice = known.map((entry) => ({ ...entry, count: 3 }))
  expect(notYetThere(drafts, thrice)).toEqual([])
  const others = [...drafts, { ...record('2026-01-01T00:00:00.500Z'), text: 'y' }, record('2026-01-01T00:00:02.000Z')]
  expect(notYetThere(others, thrice).map(({ text }) => text)).toEqual(['y', 'x'])
})

test('filters take levels and text; a mark is there as long as nothing is sought', () => {
  const entry = kept(
    loggedEntry({ level: 'error', text: 'Failed to load', url: 'https://x.example/Api', timestamp: 1 }),
  )
  const all = new Set(levels)
  expect(passes(entry, { levels: all, text: 'api' })).toBe(true)
  expect(passes(entry, { levels: all, text: 'other' })).toBe(false)
  expect(passes(entry, { levels: new Set(['log'] as const), text: '' })).toBe(false)
  expect(passes({ ...entry, kind: 'mark' }, { levels: new Set(), text: '' })).toBe(true)
})

test('what a record says several times in a row is counted; what can be opened stays apart', () => {
  const said = (text: string, at: number, more: object = {}) => ({
    ...recordedEntry({ level: 'error', text, url: null, line: 3, timestamp: new Date(at).toISOString() }),
    ...{ id: at, count: 1, depth: 0, sessionId: undefined, ...more },
  })
  const entries = [
    said('bad', 1),
    said('bad', 2),
    said('worse', 3),
    said('bad', 4),
    said('bad', 5, { recorded: false }),
  ]
  expect(folded(entries).map(({ text, count, at }) => [text, count, at])).toEqual([
    ['bad', 2, 2],
    ['worse', 1, 3],
    ['bad', 1, 4],
    ['bad', 1, 5],
  ])
})
