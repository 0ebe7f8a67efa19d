import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Mutex } from './mutex.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('one at a time, in the order in which they came', async () => {
  const mutex = new Mutex(30_000)
  const order: string[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const runs = gates.map((gate, index) =>
    mutex.run('It', async () => {
      order.push(`${index} in`)
      await gate.promise
      order.push(`${index} out`)
    }),
  )
  for (const gate of gates.reverse()) gate.resolve()
  await Promise.all(runs)
  expect(order).toEqual(['0 in', '0 out', '1 in', '1 out', '2 in', '2 out'])
  expect(mutex.busy).toBe(false)
})

test('whoever hangs loses it after the limit, and its signal says so', async () => {
  const mutex = new Mutex(30_000)
  let signal: AbortSignal | undefined
  const hung = mutex.run('Connecting', (given) => {
    signal = given
    return new Promise(() => {})
  })
  hung.catch(() => {})
  const next = mutex.run('Next', async () => 'done')
  await vi.advanceTimersByTimeAsync(29_999)
  expect(signal?.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await expect(hung).rejects.toMatchObject({ code: 'timeout' })
  expect(signal?.aborted).toBe(true)
  expect(await next).toBe('done')
})

test('a forced release cancels the waiters and the holder, and nothing is left of them', async () => {
  const mutex = new Mutex(30_000)
  const ran = vi.fn(async () => {})
  const holder = mutex.run('It', () => new Promise(() => {}))
  const waiters = [mutex.run('It', ran), mutex.run('It', ran)]
  const all = Promise.allSettled([holder, ...waiters])
  expect(mutex.forceRelease()).toBe(3)
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(ran).not.toHaveBeenCalled()
  expect(mutex.busy).toBe(false)
  expect(await mutex.run('It', async () => 1)).toBe(1)
})

test('one who loses the lock between being told and going on does nothing, and nobody else is beside the next', async () => {
  const mutex = new Mutex(30_000)
  const ran = vi.fn(async () => {})
  const hung = mutex.run('It', () => new Promise(() => {}))
  const waiter = mutex.run('It', ran)
  const both = Promise.allSettled([hung, waiter])
  // The first has hung for too long: the waiter is told that it is its turn, and goes on in a moment.
  vi.advanceTimersByTime(30_000)
  mutex.forceRelease()
  let signal: AbortSignal | undefined
  const next = mutex.run('It', (given) => {
    signal = given
    return new Promise(() => {})
  })
  next.catch(() => {})
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(ran).not.toHaveBeenCalled()
  expect(mutex.forceRelease()).toBe(1)
  expect(signal?.aborted).toBe(true)
  expect(mutex.busy).toBe(false)
})

test('what was being made ready when somebody released by force does not begin afterwards', async () => {
  const mutex = new Mutex(30_000)
  const ran = vi.fn(async () => 1)
  const { era } = mutex
  mutex.forceRelease()
  await expect(mutex.runIn(era, 'It', ran)).rejects.toMatchObject({ code: 'conflict' })
  expect(ran).not.toHaveBeenCalled()
  expect(await mutex.run('It', ran)).toBe(1)
})
