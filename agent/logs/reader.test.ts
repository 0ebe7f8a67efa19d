import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SocketReceive } from '../../shared/contract/index.ts'
import type { LogLine } from '../../shared/contract/logs.ts'
import { LogReader } from './reader.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A socket whose client takes nothing until told. */
class SlowSocket {
  sent: SocketReceive<'logs'>[] = []
  bufferedBytes = 0
  stuck = false

  send(message: SocketReceive<'logs'>): void {
    this.sent.push(message)
    if (this.stuck) this.bufferedBytes += JSON.stringify(message).length
  }

  takeAll(): void {
    this.stuck = false
    this.bufferedBytes = 0
  }

  get lines(): LogLine[] {
    return this.sent.flatMap((message) => {
      if (message.type === 'logs') return message.lines
      return message.type === 'log' ? [message] : []
    })
  }

  get dropped(): number {
    return this.sent.reduce((sum, message) => sum + ('dropped' in message ? (message.dropped ?? 0) : 0), 0)
  }
}

let count = 0
const line = (size = 10): LogLine => ({
  timestamp: '2026-01-01T00:00:00.000000000Z',
  message: `${++count}`.padEnd(size, '.'),
  service: 'api',
  seq: count,
})
const lines = (length: number, size?: number) => Array.from({ length }, () => line(size))

test('without batches, each line is a message of its own, at once', () => {
  const socket = new SlowSocket()
  new LogReader(socket, 'api', false).push(lines(3))
  expect(socket.sent.map(({ type }) => type)).toEqual(['log', 'log', 'log'])
})

test('batches are at most one per 16 ms, or 64 KiB large', () => {
  const socket = new SlowSocket()
  const reader = new LogReader(socket, 'api', true)
  reader.push(lines(1))
  for (let turn = 0; turn < 5; turn++) reader.push(lines(2))
  expect(socket.sent).toHaveLength(1)
  vi.advanceTimersByTime(17)
  expect(socket.sent).toHaveLength(2)
  expect(socket.lines).toHaveLength(11)
  reader.push(lines(100, 1000))
  const large = socket.sent.slice(2)
  expect(large.length).toBeGreaterThan(0)
  for (const message of large) expect(JSON.stringify(message).length).toBeLessThan(80 * 1024)
})

test.each([true, false])('a slow reader (batch %s): sent and dropped make up all, in order', (batch) => {
  const socket = new SlowSocket()
  const reader = new LogReader(socket, 'api', batch)
  let pushed = 0
  for (let round = 0; round < 4; round++) {
    socket.stuck = true
    for (let turn = 0; turn < 100; turn++) {
      reader.push(lines(1000, 100))
      pushed += 1000
      vi.advanceTimersByTime(5)
    }
    socket.takeAll()
    vi.advanceTimersByTime(2000)
  }
  expect(socket.dropped).toBeGreaterThan(pushed / 2)
  expect(socket.lines.length + socket.dropped).toBe(pushed)
  const numbers = socket.lines.map((item) => item.seq ?? 0)
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('the gap is told where it is: before the first line behind it', () => {
  const socket = new SlowSocket()
  const reader = new LogReader(socket, 'api', true)
  const first = count + 1
  socket.stuck = true
  reader.push(lines(100_000, 100))
  socket.takeAll()
  vi.advanceTimersByTime(2000)
  reader.push(lines(1))
  vi.advanceTimersByTime(2000)
  let next = first
  for (const message of socket.sent) {
    if (message.type !== 'logs') continue
    next += message.dropped
    for (const item of message.lines) expect(item.seq).toBe(next++)
  }
  expect(next).toBe(count + 1)
})

test('a reader that fell silent behind a gap is told of it all the same', () => {
  for (const batch of [true, false]) {
    const socket = new SlowSocket()
    const reader = new LogReader(socket, 'api', batch)
    socket.stuck = true
    reader.push(lines(100_000, 100))
    socket.takeAll()
    vi.advanceTimersByTime(2000)
    expect(socket.lines.length + socket.dropped).toBe(100_000)
    expect(socket.sent.at(-1)?.type).toBe(batch ? 'logs' : 'notice')
  }
})

test('a line larger than a batch goes alone, and one larger than the buffer still goes', () => {
  const socket = new SlowSocket()
  const reader = new LogReader(socket, 'api', true)
  reader.push([line(1024 * 1024), line(5 * 1024 * 1024), line()])
  vi.advanceTimersByTime(100)
  expect(socket.lines.length + socket.dropped).toBe(3)
  expect(socket.lines[0]?.message).toHaveLength(1024 * 1024)
})

test('who waits for room is let in when there is some, and when the reader goes', async () => {
  const socket = new SlowSocket()
  const reader = new LogReader(socket, 'api', true)
  socket.stuck = true
  reader.push(lines(20_000, 100))
  let room = 0
  void reader.whenRoom()?.then(() => room++)
  await vi.advanceTimersByTimeAsync(1000)
  expect(room).toBe(0)
  socket.takeAll()
  await vi.advanceTimersByTimeAsync(1000)
  expect(room).toBe(1)
  socket.stuck = true
  reader.push(lines(20_000, 100))
  void reader.whenRoom()?.then(() => room++)
  reader.close()
  await vi.advanceTimersByTimeAsync(0)
  expect(room).toBe(2)
})

test('a source that waits goes on when the client has taken what was in the socket, with nothing left before it', async () => {
  const socket = new SlowSocket()
  const reader = new LogReader(socket, 'api', false)
  socket.stuck = true
  // The last line is the one that fills the socket: nothing is left that would have to be sent later.
  while (socket.bufferedBytes <= 512 * 1024) reader.push(lines(1, 1000))
  let wentOn = false
  void Promise.resolve(reader.whenRoom()).then(() => (wentOn = true))
  await vi.advanceTimersByTimeAsync(100)
  expect(wentOn).toBe(false)
  socket.takeAll()
  await vi.advanceTimersByTimeAsync(100)
  expect(wentOn).toBe(true)
})
