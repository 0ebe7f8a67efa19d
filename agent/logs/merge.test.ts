import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogLine } from '../../shared/contract/logs.ts'
import { nanoTimeOf } from '../../shared/domain/log-time.ts'
import type { Nudge } from './file-alarm.ts'
import { TimeMerge } from './merge.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const line = (at: number): LogLine => ({ timestamp: nanoTimeOf(at), message: String(at), service: 'worker', seq: 0 })
const lines = (...times: number[]) => times.map(line)

function merged(): { merge: TimeMerge; out: number[] } {
  const out: number[] = []
  return { merge: new TimeMerge((some) => void out.push(...some.map(({ message }) => Number(message)))), out }
}

test('one container passes through at once', () => {
  const { merge, out } = merged()
  void merge.open().offer(lines(1, 2))
  expect(out).toEqual([1, 2])
})

test('several come in order, as soon as the order is known', async () => {
  const { merge, out } = merged()
  const [a, b] = [merge.open(), merge.open()]
  void a.offer(lines(1, 4, 5))
  void b.offer(lines(2, 3, 6))
  await vi.advanceTimersByTimeAsync(0)
  expect(out).toEqual([1, 2, 3, 4, 5])
  await vi.advanceTimersByTimeAsync(300)
  expect(out).toEqual([1, 2, 3, 4, 5, 6])
})

test('a silent container holds nobody up for long, one that is still opening a little longer', async () => {
  const { merge, out } = merged()
  const [a, b] = [merge.open(), merge.open()]
  void a.offer(lines(5))
  await vi.advanceTimersByTimeAsync(1000)
  expect(out).toEqual([])
  void b.offer(lines(3))
  await vi.advanceTimersByTimeAsync(300)
  expect(out).toEqual([3, 5])
  void a.offer(lines(7))
  await vi.advanceTimersByTimeAsync(300)
  expect(out).toEqual([3, 5, 7])
})

test('a container that can be looked at is, and what it has comes first', async () => {
  const { merge, out } = merged()
  const a = merge.open({ look: () => setTimeout(() => void a.offer([]), 5) })
  let unseen = lines(2)
  const look = () => {
    setTimeout(() => {
      void b.offer(unseen)
      unseen = []
    }, 5)
  }
  const b = merge.open({ look })
  void b.offer([])
  void a.offer(lines(3))
  await vi.advanceTimersByTimeAsync(10)
  expect(out).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(out).toEqual([2, 3])
})

test('one that cannot be looked at for now is waited for a moment, and not as if it were being looked at', async () => {
  const { merge, out } = merged()
  const nudge: Nudge = { look: undefined }
  const [a, b] = [merge.open(), merge.open(nudge)]
  void b.offer([])
  void a.offer(lines(3))
  await vi.advanceTimersByTimeAsync(300)
  expect(out).toEqual([3])
  nudge.look = () => setTimeout(() => void b.offer([]), 5)
  void a.offer(lines(4))
  await vi.advanceTimersByTimeAsync(60)
  expect(out).toEqual([3, 4])
})

test('what a container said last is not lost when it goes', async () => {
  const { merge, out } = merged()
  const [a, b] = [merge.open(), merge.open()]
  void b.offer([])
  void a.offer(lines(1, 2))
  a.close()
  await vi.advanceTimersByTimeAsync(300)
  expect(out).toEqual([1, 2])
  void b.offer(lines(3))
  expect(out).toEqual([1, 2, 3])
})

test('one far ahead is held back, and let go with the others', async () => {
  const { merge, out } = merged()
  const [a, b] = [merge.open(), merge.open()]
  let free = false
  void Promise.resolve(a.offer(lines(...Array.from({ length: 10_000 }, (_, index) => 10 + index)))).then(() => {
    free = true
  })
  await vi.advanceTimersByTimeAsync(10)
  expect(free).toBe(false)
  void b.offer([])
  await vi.advanceTimersByTimeAsync(3000)
  expect(free).toBe(true)
  expect(out).toHaveLength(10_000)
  merge.stop()
})
