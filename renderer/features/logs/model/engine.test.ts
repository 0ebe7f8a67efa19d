import { expect, test, vi } from 'vitest'
import type { LogLine } from '../../../../shared/contract/logs.ts'
import { parseMoment } from '../jump.ts'
import { LogEngine, limits } from './engine.ts'
import { answer } from './matcher.ts'
import type { FromEngine, FromSearcher, ToSearcher } from './protocol.ts'
import { Searcher, type SearchWorker } from './searcher.ts'

const at = (ms: number) => `${new Date(Date.UTC(2026, 0, 1) + ms).toISOString().slice(0, 23)}000000Z`
const line = (ms: number, message: string, more: Partial<LogLine> = {}): LogLine => ({
  timestamp: at(ms),
  message,
  service: 'api',
  seq: 0,
  ...more,
})

type FakeWorker = SearchWorker & { ended: boolean; ranges: number }

/** Answers in the next turn; an expression with `hang` in it never, one with `hangs later` not where its matches are. */
function fakeWorker(): FakeWorker {
  const worker: FakeWorker = {
    ended: false,
    ranges: 0,
    onmessage: null,
    terminate() {
      worker.ended = true
    },
    postMessage(message: ToSearcher) {
      if (message.kind === 'ranges') worker.ranges++
      const { text } = message.pattern
      if (text.includes('hangs later') ? message.kind === 'ranges' : text.includes('hang')) return
      const data: FromSearcher = answer(structuredClone(message))
      queueMicrotask(() => worker.onmessage?.({ data }))
    },
  }
  return worker
}

function started(bounds = limits) {
  const said: FromEngine[] = []
  const workers: FakeWorker[] = []
  const engine = new LogEngine(
    (message) => void said.push(message),
    new Searcher(() => {
      const worker = fakeWorker()
      workers.push(worker)
      return worker
    }),
    bounds,
  )
  const frame = () => {
    engine.receive({ type: 'look', from: 0, count: 1000, follow: false })
    const last = said.at(-1)
    if (last?.type !== 'frame') throw new Error('no frame')
    return last
  }
  const texts = () => frame().shown.map(({ text }) => text)
  return { engine, said, workers, frame, texts }
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
const plain = (text: string) => ({ text, regex: false, caseSensitive: false })

test('two machines are merged by time, and lost lines are said where they were lost', () => {
  const { engine, frame } = started()
  engine.receive({ type: 'lines', source: 0, lines: [line(1, 'a1'), line(5, 'a5')] })
  engine.receive({ type: 'lines', source: 1, lines: [line(3, 'b3')] })
  void engine.fromStream(0, [line(7, 'a7')], 128)
  engine.notice(1, 'api was replaced; the stream goes on.')
  expect(frame().shown.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'line a1',
    'line b3',
    'mark api was replaced; the stream goes on.',
    'line a5',
    'mark 128 lines dropped while the reader was slow',
    'line a7',
  ])
})

test('a service that is taken away while the view is paused stays away, and holds nobody back', async () => {
  const { engine, texts, frame } = started()
  engine.receive({ type: 'pause', on: true })
  void engine.fromStream(0, [line(1, 'stays')], 0)
  const full = engine.fromStream(
    1,
    Array.from({ length: 60_000 }, (_, index) => line(index, 'goes')),
    7,
  )
  engine.notice(1, 'goes as well')
  engine.receive({ type: 'remove', source: 1 })
  await full
  expect(frame().stats.held).toBe(1)
  engine.receive({ type: 'pause', on: false })
  expect(texts()).toEqual(['stays'])
})

test('a moment is gone to when its lines are there, and again when nearer ones come', () => {
  const { engine, said, frame } = started()
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => line((from + index) * 1000, `${from + index}`))
  const gone = () => said.flatMap((message) => (message.type === 'goto' ? [message.row] : []))
  engine.receive({ type: 'lines', source: 0, lines: lines(0, 200) })
  engine.receive({ type: 'aim', time: Date.UTC(2026, 0, 1) + 5_000_500 })
  frame()
  expect(gone()).toEqual([])
  void engine.fromStream(0, lines(200, 10_000), 0)
  frame()
  expect(gone()).toEqual([5001])
  // What comes behind it changes nothing; another machine's line that is nearer does.
  void engine.fromStream(0, lines(10_000, 11_000), 0)
  frame()
  void engine.fromStream(1, [line(5_000_700, 'nearer'), line(5_000_800, 'less near')], 0)
  frame()
  expect(gone()).toEqual([5001, 5001])
  expect(frame().rows).toBe(11_002)
  // The person went elsewhere.
  engine.receive({ type: 'aim', time: null })
  void engine.fromStream(2, [line(5_000_600, 'nearest')], 0)
  frame()
  expect(gone()).toHaveLength(2)
})

test('what history and stream both have is there once', () => {
  const { engine, texts } = started()
  const same = [line(1, 'one'), line(1, 'two', { seq: 1 })]
  engine.receive({ type: 'lines', source: 0, lines: same })
  void engine.fromStream(0, [...same, line(1, 'three', { seq: 2 })], 0)
  expect(texts()).toEqual(['one', 'two', 'three'])
})

test('levels and matches filter, and counts follow', async () => {
  const { engine, frame, texts } = started()
  const lines = [line(1, 'plain needle'), line(2, 'bad', { level: 'error' }), line(3, 'bad needle', { level: 'error' })]
  engine.receive({ type: 'lines', source: 0, lines })
  engine.receive({ type: 'levels', mask: 1 << 5 })
  expect(texts()).toEqual(['bad', 'bad needle'])
  engine.receive({ type: 'levels', mask: 0 })
  engine.receive({ type: 'search', pattern: plain('NEEDLE') })
  await settled()
  expect(frame().stats).toMatchObject({ matches: 2, searching: null })
  frame()
  await settled()
  expect(frame().shown[0]?.hits).toEqual([6, 12])
  engine.receive({ type: 'only', on: true })
  expect(texts()).toEqual(['plain needle', 'bad needle'])
  void engine.fromStream(0, [line(9, 'new needle'), line(9, 'nothing', { seq: 1 })], 0)
  await settled()
  expect(texts()).toEqual(['plain needle', 'bad needle', 'new needle'])
  engine.receive({ type: 'step', way: 1, from: undefined })
  engine.receive({ type: 'search', pattern: null })
  expect(texts()).toHaveLength(5)
})

test('a bad expression is said, and one that never ends is stopped without anything else waiting', async () => {
  vi.useFakeTimers()
  try {
    const { engine, frame, workers, texts } = started()
    engine.receive({ type: 'lines', source: 0, lines: [line(1, 'a')] })
    engine.receive({ type: 'search', pattern: { ...plain('('), regex: true } })
    await vi.advanceTimersByTimeAsync(1)
    expect(frame().stats.searchProblem).toMatch(/^Not an expression/)
    engine.receive({ type: 'search', pattern: plain('hang') })
    void engine.fromStream(0, [line(2, 'b')], 0)
    expect(texts()).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(2500)
    expect(frame().stats.searchProblem).toMatch(/takes too long/)
    expect(workers[0]?.ended).toBe(true)
    engine.receive({ type: 'search', pattern: plain('b') })
    await vi.advanceTimersByTimeAsync(1)
    expect(frame().stats).toMatchObject({ matches: 1, searchProblem: null })
  } finally {
    vi.useRealTimers()
  }
})

test('a search goes on in the thread of the one that it replaces, which is ended only where that hangs', async () => {
  vi.useFakeTimers()
  try {
    const { engine, frame, workers } = started()
    engine.receive({ type: 'lines', source: 0, lines: [line(1, 'a'), line(2, 'b')] })
    const search = (text: string) => engine.receive({ type: 'search', pattern: plain(text) })
    for (const text of ['a', 'ab', 'b']) search(text)
    await vi.advanceTimersByTimeAsync(1)
    expect([frame().stats.matches, workers.length, workers[0]?.ended]).toEqual([1, 1, false])
    search('hang')
    await vi.advanceTimersByTimeAsync(1000)
    search('b')
    await vi.advanceTimersByTimeAsync(50)
    expect([frame().stats.matches, workers[0]?.ended]).toEqual([0, false])
    await vi.advanceTimersByTimeAsync(100)
    expect(frame().stats).toMatchObject({ matches: 1, searchProblem: null })
    expect(workers.map(({ ended }) => ended)).toEqual([true, false])
  } finally {
    vi.useRealTimers()
  }
})

test('a match that is asked for before the lines have been looked through is gone to as soon as they have', async () => {
  const { engine, said } = started()
  engine.receive({ type: 'lines', source: 0, lines: [line(1, 'needle'), line(2, 'hay'), line(3, 'needle')] })
  const gone = () => said.flatMap((one) => (one.type === 'goto' ? [one.row] : []))
  engine.receive({ type: 'search', pattern: plain('needle') })
  engine.receive({ type: 'step', way: -1, from: undefined })
  expect(gone()).toEqual([])
  await settled()
  expect(gone()).toEqual([2])
  // Another search was begun: nobody means the match of the one before.
  engine.receive({ type: 'search', pattern: plain('hay') })
  engine.receive({ type: 'step', way: -1, from: undefined })
  engine.receive({ type: 'search', pattern: plain('needle') })
  await settled()
  expect(gone()).toEqual([2])
})

test('an expression that finds lines, and takes too long with the places, is not begun again with each new line', async () => {
  vi.useFakeTimers()
  try {
    const { engine, frame, workers } = started()
    const asked = () => workers.reduce((sum, { ranges }) => sum + ranges, 0)
    engine.receive({ type: 'lines', source: 0, lines: [line(1, 'it hangs later')] })
    engine.receive({ type: 'search', pattern: plain('hangs later') })
    await vi.advanceTimersByTimeAsync(100)
    expect(asked()).toBe(1)
    for (let second = 0; second < 10; second++) {
      void engine.fromStream(0, [line(10 + second, 'another that hangs later')], 0)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(asked()).toBe(1)
    engine.receive({ type: 'search', pattern: plain('another') })
    await vi.advanceTimersByTimeAsync(100)
    frame()
    await vi.advanceTimersByTimeAsync(100)
    expect(frame().shown.at(-1)?.hits).toEqual([0, 7])
  } finally {
    vi.useRealTimers()
  }
})

test('while paused nothing moves, the stream is held back once enough has come, and then all of it is there', async () => {
  const { engine, texts, frame } = started()
  engine.receive({ type: 'lines', source: 0, lines: [line(1, 'a')] })
  engine.receive({ type: 'pause', on: true })
  const burst = Array.from({ length: 50_000 }, (_, index) => line(10 + index, `n${index}`))
  const held = engine.fromStream(0, burst, 0)
  expect(texts()).toEqual(['a'])
  expect(frame().stats.held).toBe(50_000)
  let taken = false
  void Promise.resolve(held).then(() => {
    taken = true
  })
  await settled()
  expect(taken).toBe(false)
  engine.receive({ type: 'pause', on: false })
  await settled()
  expect(taken).toBe(true)
  expect(frame().stats).toMatchObject({ lines: 50_001, held: 0 })
})

test('the view keeps so many lines; the oldest leave, and the line that is looked at stays where it is', () => {
  const { engine, said, frame } = started({ ...limits, lines: 10_000 })
  const batch = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => line(from + index, `n${from + index}`))
  engine.receive({ type: 'lines', source: 0, lines: batch(0, 9000) })
  engine.receive({ type: 'anchor', serial: 8000 })
  void engine.fromStream(0, batch(9000, 9000), 0)
  const { stats, rows, anchor, anchorRow, shown } = frame()
  expect(stats.lines).toBeLessThanOrEqual(10_000)
  expect(stats.left + stats.lines).toBe(18_000)
  expect(rows).toBe(stats.lines)
  expect(anchor).toBe(8000)
  expect(anchorRow).toBe(0)
  expect(shown[0]?.text).toBe(`n${stats.left}`)
  expect(stats.levels.reduce((sum, count) => sum + count, 0)).toBe(stats.lines)
  expect(said.length).toBeGreaterThan(0)
})

test('a source that is taken out is gone, and what is saved cannot be forged', () => {
  const { engine, said, texts } = started()
  engine.receive({ type: 'lines', source: 0, lines: [line(1, 'a\n2026-01-01 ERROR forged'), line(3, '{"x":1}')] })
  engine.receive({ type: 'lines', source: 1, lines: [line(2, 'b')] })
  engine.receive({ type: 'remove', source: 1 })
  expect(texts()).toEqual(['a', '2026-01-01 ERROR forged', '{"x":1}'])
  const names = [{ machine: 'm', service: 'api' }]
  engine.receive({ type: 'export', format: 'text', names })
  engine.receive({ type: 'exportNext' })
  const parts = said.flatMap((message) => (message.type === 'exported' ? [message.text] : []))
  expect(parts).toEqual([
    '2026-01-01T00:00:00.001Z -     m api a\n    2026-01-01 ERROR forged\n2026-01-01T00:00:00.003Z -     m api {"x":1}\n',
    null,
  ])
})

test('a stream is asked to go on behind the last line, and its end is told with the place', async () => {
  const { engine, said } = started()
  engine.receive({ type: 'lines', source: 0, lines: [line(1, 'a', { seq: 4 })] })
  const { port1, port2 } = new MessageChannel()
  const asked = new Promise<{ data: string }>((resolve) => {
    port2.onmessage = ({ data }) => resolve(data)
  })
  engine.receive({ type: 'attach', source: 0, service: 'api', since: undefined, port: port1 })
  expect(JSON.parse((await asked).data)).toEqual({
    type: 'subscribe',
    service: 'api',
    batch: true,
    since: `${at(1)}#4`,
  })
  port2.postMessage({ t: 'text', data: JSON.stringify({ type: 'logs', lines: [line(2, 'b')], dropped: 0 }) })
  port2.postMessage({ t: 'close', code: 1006, reason: '' })
  const lost = () => said.find(({ type }) => type === 'lost')
  await vi.waitFor(() => expect(lost()).toMatchObject({ source: 0, since: `${at(2)}#0` }))
  port2.close()
})

test('a log that is read from a time on is live when the last line that was there has come, over a cut as well', async () => {
  const { engine, said } = started()
  const live = () => said.filter(({ type }) => type === 'live').length
  const attach = (until?: string) => {
    const { port1, port2 } = new MessageChannel()
    engine.receive({ type: 'attach', source: 0, service: 'api', since: at(0), ...(until && { until }), port: port1 })
    const send = (...lines: LogLine[]) =>
      port2.postMessage({ t: 'text', data: JSON.stringify({ type: 'logs', lines, dropped: 0 }) })
    return { port2, send }
  }
  const first = attach(at(9))
  first.send(line(1, 'a'))
  first.port2.postMessage({ t: 'close', code: 1006, reason: '' })
  await vi.waitFor(() => expect(said.some(({ type }) => type === 'lost')).toBe(true))
  const second = attach()
  expect(live()).toBe(0)
  second.send(line(8, 'b'), line(9, 'c'))
  await vi.waitFor(() => expect(live()).toBe(1))
  for (const { port2 } of [first, second]) port2.close()
})

test('moments that a person types', () => {
  const last = new Date(2026, 0, 31, 14, 30).getTime()
  expect(parseMoment('14:03', last)).toBe(new Date(2026, 0, 31, 14, 3).getTime())
  expect(parseMoment('23:59:58.5', last)).toBe(new Date(2026, 0, 30, 23, 59, 58, 500).getTime())
  expect(parseMoment('2026-01-30 10:00', last)).toBe(new Date(2026, 0, 30, 10).getTime())
  expect(parseMoment('10 min ago', last)).toBe(last - 600_000)
  for (const bad of ['', '25:00', 'yesterday', '12', '2026-13-01 99:00']) expect(parseMoment(bad, last)).toBeUndefined()
})
