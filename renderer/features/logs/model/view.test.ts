import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { cleanMessage } from './clean.ts'
import { cut } from './cut.ts'
import { jsonRows, looksLikeJson } from './json-rows.ts'
import { flag, LineStore, type NewLine } from './line-store.ts'
import { LogView } from './view.ts'

const line = (time: number, message = `at ${time}`, more: Partial<NewLine> = {}): NewLine => {
  const plain = /^[ -~]*$/.test(message) ? flag.plain : 0
  return { time, source: 0, level: 3, message, flags: plain, ...more }
}

function filled(times: readonly number[]) {
  const store = new LineStore()
  const view = new LogView(store)
  const add = (batch: readonly NewLine[]) => view.add(batch.map((one) => store.add(one)))
  add(times.map((time) => line(time)))
  return { store, view, add }
}
const texts = (view: LogView, from = 0, to = 1e9) => view.slice(from, to).map(({ text }) => text)

describe('messages', () => {
  test('read as they stand: colours go, controls and turning marks are seen', () => {
    expect(cleanMessage('\u001b[31mred\u001b[0m\tx')).toBe('red    x')
    expect(cleanMessage('a\u0007b\u001bc\r\nd')).toBe('a␇b␛c\nd')
    expect(cleanMessage('evil\u202egpj.exe\u200b')).toBe('evil\ufffdgpj.exe\ufffd')
    expect(cleanMessage('\u001b]8;;https://x\u0007link\u001b]8;;\u0007')).toBe('link')
  })

  test('keep what makes one picture of several emoji, and show it wherever it would hide something', () => {
    const pictures = ['👩‍👩‍👧‍👦', '🏳️‍🌈', '👩🏽‍💻', '❤️‍🔥', '🏴‍☠️', '🙋🏿‍♂️']
    for (const picture of pictures) expect(cleanMessage(`a${picture}b`)).toBe(`a${picture}b`)
    for (const [before, after] of [
      ['a', 'b'],
      ['👩', 'b'],
      ['a', '👩'],
      ['1', '👩'],
      ['©', '©'],
      ['👩', ''],
      ['👩\u200b', '👩'],
    ]) {
      expect(cleanMessage(`${before}\u200d${after}`)).not.toContain('\u200d')
    }
    expect(cleanMessage('👩\u200d\u200d👩')).toBe('👩\ufffd\ufffd👩')
    expect(cleanMessage('👩\u202e👩')).toBe('👩\ufffd👩')
  })

  test('are cut at line ends and at columns, and nothing is lost', () => {
    const pieces = (text: string, cols: number) => cut(text, cols, 1000).map(({ start, end }) => text.slice(start, end))
    expect(pieces('abcdefg', 3)).toEqual(['abc', 'def', 'g'])
    expect(pieces('ab\n\ncd', 0)).toEqual(['ab', '', 'cd'])
    expect(pieces('日本語x', 4)).toEqual(['日本', '語x'])
    expect(pieces('a😀b', 2)).toEqual(['a', '😀', 'b'])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 12 }), (text, cols) => {
        expect(pieces(text.replaceAll('\n', ''), cols).join('')).toBe(text.replaceAll('\n', ''))
      }),
    )
  })

  test('in JSON are folded out, one value in a row', () => {
    expect(looksLikeJson('{"a":1}')).toBe(true)
    expect(looksLikeJson('[worker] up')).toBe(false)
    expect(jsonRows('{"a":1,"b":{"c":[true]}}')).toEqual([
      '  "a": 1,',
      '  "b": {',
      '    "c": [',
      '      true',
      '    ]',
      '  }',
    ])
    expect(jsonRows('{not json}')).toEqual(['  (it does not read as JSON)'])
    expect(jsonRows(`${'[1,'.repeat(100_000)}1${']'.repeat(100_000)}`)).toHaveLength(1)
    expect(jsonRows(JSON.stringify(Array.from({ length: 5000 }, () => 1))).length).toBe(301)
  })
})

describe('the view', () => {
  test('merges by time, and keeps the order of what came at the same moment', () => {
    const { view, add } = filled([10, 20, 30])
    add([line(15, 'b1', { source: 1 }), line(20, 'b2', { source: 1 }), line(40, 'b3', { source: 1 })])
    add([line(5, 'first')])
    expect(texts(view)).toEqual(['first', 'at 10', 'b1', 'at 20', 'b2', 'at 30', 'b3'])
  })

  test('any batches come out as one stable sort by time, filtered or not, and rows are found again', () => {
    const batches = fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 }), { maxLength: 12 })
    fc.assert(
      fc.property(batches, fc.integer({ min: 1, max: 4 }), (all, keepEvery) => {
        const store = new LineStore()
        const view = new LogView(store)
        view.filter((serial) => serial % keepEvery === 0)
        const added: { time: number; serial: number }[] = []
        for (const batch of all) {
          const serials = batch.map((time) => store.add(line(time)))
          batch.forEach((time, place) => void added.push({ time, serial: serials[place] ?? 0 }))
          view.add(serials)
        }
        const wanted = added.filter(({ serial }) => serial % keepEvery === 0)
        wanted.sort((a, b) => a.time - b.time || a.serial - b.serial)
        const seen = view.slice(0, 1e6).map(({ serial }) => serial)
        // Within one moment, later batches stand behind earlier ones.
        expect(seen.map((serial) => store.time(serial))).toEqual(wanted.map(({ time }) => time))
        expect([...seen].sort((a, b) => a - b)).toEqual(wanted.map(({ serial }) => serial).sort((a, b) => a - b))
        seen.forEach((serial, row) => void expect(view.rowOf(serial)).toBe(row))
      }),
    )
  })

  test('a line of a log without times is found without walking through all that came with it', () => {
    const { store, view } = filled(Array.from({ length: 20_000 }, () => 0))
    const looks = vi.spyOn(store, 'time')
    expect(view.rowOf(3)).toBe(3)
    expect(view.rowOf(19_999)).toBe(19_999)
    expect(looks.mock.calls.length).toBeLessThan(100)
  })

  test('knows the rows of traces, of wrapped lines and of folded JSON', () => {
    const { store, view, add } = filled([])
    const trace = 'Error: no\n    at f\n    at g'
    add([
      line(1, 'x'.repeat(25)),
      line(2, trace, { level: 5 }),
      line(3, '{"a":1,"b":2}', { flags: flag.plain | flag.json }),
    ])
    expect(view.rows).toBe(5)
    view.wrap(10)
    expect(texts(view)).toEqual([
      'xxxxxxxxxx',
      'xxxxxxxxxx',
      'xxxxx',
      'Error: no',
      '    at f',
      '    at g',
      '{"a":1,"b"',
      ':2}',
    ])
    expect(view.slice(4, 5)[0]).toMatchObject({ serial: 1, sub: 1, start: 10 })
    store.setFlag(2, flag.open, true)
    view.reflow()
    expect(texts(view, 8)).toEqual(['  "a": 1,', '  "b": 2'])
    view.wrap(0)
    expect(view.rows).toBe(7)
    expect(view.rowOf(2)).toBe(4)
  })

  test('forgets what left, from the front and from between', () => {
    const { store, view, add } = filled([1, 2, 3, 4])
    add([line(2.5, 'other', { source: 1 })])
    view.remove((serial) => serial < 2, 2)
    expect(texts(view)).toEqual(['other', 'at 3', 'at 4'])
    expect(view.rowOf(2)).toBe(1)
    view.remove((serial) => store.source(serial) === 0, 99)
    expect(texts(view)).toEqual(['other'])
    add([line(9)])
    expect(texts(view)).toEqual(['other', 'at 9'])
  })

  test('finds the next and the one before, in a circle, and moments', () => {
    const { view } = filled([10, 20, 30, 40])
    const even = (serial: number) => serial % 2 === 0
    expect(view.find(even, undefined, 1)).toBe(0)
    expect(view.find(even, 0, 1)).toBe(2)
    expect(view.find(even, 2, 1)).toBe(0)
    expect(view.find(even, undefined, -1)).toBe(2)
    expect(view.rank(even, 2)).toBe(2)
    expect(view.rowAtTime(25)).toBe(2)
    expect(view.rowAtTime(-1)).toBe(0)
    expect(view.rowAtTime(99)).toBe(3)
  })
})

test('the store gives every message back, over many pieces, and its text from any line on', () => {
  const store = new LineStore()
  const count = 10_000
  for (let index = 0; index < count; index++) store.add(line(index, `message ${index}`))
  expect([0, 4095, 4096, 9999].map((serial) => store.message(serial))).toEqual([
    'message 0',
    'message 4095',
    'message 4096',
    'message 9999',
  ])
  let next = 1234
  let seen = 0
  for (let piece = store.textFrom(next); piece !== undefined; piece = store.textFrom(next)) {
    const [first = 0] = piece.ends
    expect(piece.text.slice(0, first)).toBe(`message ${next}`)
    seen += piece.ends.length
    next = piece.first + piece.ends.length
  }
  expect(seen).toBe(count - 1234)
  expect(store.dropOldest()).toEqual({ from: 0, to: 4096 })
  expect(store.lines).toBe(count - 4096)
  expect(store.has(4095)).toBe(false)
  expect(store.message(4096)).toBe('message 4096')
})
