import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogLine } from '../../shared/contract/logs.ts'
import { comparePositions, type LogPosition, nanoTimeOf } from '../../shared/domain/log-time.ts'
import { Feed, type FeedReader } from './feed.ts'
import type { LineSink, LineSource } from './sources.ts'

// Lines are stamped by the same clock that says what "from now on" means.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const position = ({ timestamp, seq }: LogLine): LogPosition => ({ timestamp, seq: seq ?? 0 })

/** A log in memory; each of its streams goes forward when told, as far as told. */
class MemorySource implements LineSource {
  written: LogLine[] = []
  container: string | undefined
  streams = new Set<{ at: number; sink: LineSink }>()
  opened = 0

  history = () => Promise.reject(new Error('not asked for here'))

  follow(after: LogPosition, sink: LineSink): () => void {
    this.opened++
    const at = this.written.findIndex((item) => comparePositions(position(item), after) > 0)
    const stream = { at: at === -1 ? this.written.length : at, sink }
    this.streams.add(stream)
    return () => this.streams.delete(stream)
  }

  place(index: number): LogPosition {
    const line = this.written[index]
    if (line === undefined) throw new Error(`There is no line ${index}.`)
    return position(line)
  }

  write(count: number): void {
    for (let index = 0; index < count; index++) {
      vi.setSystemTime(Date.now() + (index % 3 === 0 ? 1 : 0))
      const before = this.written.at(-1)
      const timestamp = nanoTimeOf(Date.now() + 0.5)
      const seq = before?.timestamp === timestamp ? (before.seq ?? 0) + 1 : 0
      const { container } = this
      this.written.push({ timestamp, seq, message: String(this.written.length), service: 'api', container })
    }
    vi.setSystemTime(Date.now() + 1)
  }

  /** Lets one of the streams send some lines. */
  move(which: number, count: number): void {
    const all = [...this.streams]
    const stream = all[which % Math.max(1, all.length)]
    if (stream === undefined) return
    const lines = this.written.slice(stream.at, stream.at + count)
    stream.at += lines.length
    void stream.sink.lines(lines)
  }

  drain(): void {
    for (let round = 0; round < 5; round++) for (const index of [...this.streams].keys()) this.move(index, 10_000)
  }
}

class Reader implements FeedReader {
  got: number[] = []
  push = (lines: readonly LogLine[]) => void this.got.push(...lines.map(({ message }) => Number(message)))
  notice = () => {}
  whenRoom = () => {}
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('move' as const), which: fc.nat(5), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('join' as const), from: fc.nat(40) }),
  fc.record({ kind: fc.constant('leave' as const), which: fc.nat(5) }),
)

test('whoever joins where and whichever stream is ahead: each reader gets every line behind its place, once', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), (steps) => {
      const source = new MemorySource()
      source.write(5)
      const feed = new Feed(source, () => {})
      const seats: { reader: Reader; from: number; leave: () => void }[] = []
      for (const item of steps) {
        if (item.kind === 'write') source.write(item.count)
        if (item.kind === 'move') source.move(item.which, item.count)
        if (item.kind === 'leave') seats.splice(item.which % Math.max(1, seats.length), 1)[0]?.leave()
        if (item.kind === 'join') {
          const from = item.from % source.written.length
          const reader = new Reader()
          seats.push({ reader, from, leave: feed.join(reader, source.place(from)) })
        }
      }
      source.write(3)
      source.drain()
      source.write(3)
      source.drain()
      for (const { reader, from } of seats) {
        const expected = Array.from({ length: source.written.length - from - 1 }, (_, index) => from + 1 + index)
        expect(reader.got).toEqual(expected)
      }
      for (const { leave } of seats) leave()
      expect(source.streams.size).toBe(0)
    }),
    { numRuns: 300 },
  )
})

test('readers share one stream, which ends with the last of them', () => {
  const source = new MemorySource()
  let idle = 0
  const feed = new Feed(source, () => idle++)
  const readers = [new Reader(), new Reader(), new Reader()]
  const leave = readers.map((reader) => feed.join(reader))
  source.write(4)
  expect(source.streams.size).toBe(1)
  source.drain()
  for (const reader of readers) expect(reader.got).toEqual([0, 1, 2, 3])
  for (const end of leave) end()
  expect([source.streams.size, idle]).toEqual([0, 1])
})

test('a resumed reader comes to the common stream and gives up its own', () => {
  const source = new MemorySource()
  source.write(9)
  const feed = new Feed(source, () => {})
  const readers = [new Reader(), new Reader()]
  const leave = readers.map((reader) => feed.join(reader, source.place(3)))
  source.drain()
  source.write(3)
  source.drain()
  source.write(3)
  source.drain()
  expect(source.streams.size).toBe(1)
  for (const reader of readers) expect(reader.got).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  for (const end of leave) end()
  expect(source.streams.size).toBe(0)
})

test.each([undefined, 'worker-1'])(
  'a resumed reader gets what is written after a clock was set back (of %s)',
  (name) => {
    const source = new MemorySource()
    source.container = name
    source.write(9)
    const feed = new Feed(source, () => {})
    const reader = new Reader()
    const leave = feed.join(reader, source.place(3))
    for (let turn = 0; turn < 4; turn++) {
      source.write(3)
      source.drain()
      vi.setSystemTime(Date.now() + 2000)
    }
    expect(source.streams.size).toBe(1)
    vi.setSystemTime(Date.now() - 3_600_000)
    source.write(3)
    source.drain()
    expect(reader.got).toEqual(Array.from({ length: 20 }, (_, index) => index + 4))
    leave()
  },
)
