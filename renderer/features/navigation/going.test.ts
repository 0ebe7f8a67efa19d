import { expect, test, vi } from 'vitest'
import { giveUp, goOn } from './going.ts'

const toast = vi.hoisted(() => vi.fn())
vi.mock('../../ui/Toast.tsx', () => ({ toast }))

test('the last wish counts, and one that was given up does not fail', async () => {
  const slow = Promise.withResolvers<void>()
  const first = goOn('go:m', 'Going there', () => slow.promise)
  const second = goOn('go:m', 'Going elsewhere', async () => {})
  expect(await first).toBe(true)
  expect(await second).toBe(true)
  slow.reject(new Error('net::ERR_ABORTED'))
  await slow.promise.catch(() => {})
  expect(toast).not.toHaveBeenCalled()
})

test('what is stopped ends at once; what fails by itself is said', async () => {
  const never = goOn('go:m', 'Going there', () => new Promise(() => {}))
  await giveUp('go:m', async () => {})
  expect(await never).toBe(true)
  // What it was waiting for fails because it is being stopped, and is under way until it has been.
  const aborted = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  let over = false
  const second = goOn('go:m', 'Going there', () => aborted.promise).finally(() => (over = true))
  const stopping = giveUp('go:m', () => stopped.promise)
  aborted.reject(new Error('net::ERR_ABORTED'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(over).toBe(false)
  stopped.resolve()
  await stopping
  expect(await second).toBe(true)
  expect(await goOn('go:m', 'Going there', () => Promise.reject(new Error('no such host')))).toBe(false)
  expect(toast).toHaveBeenCalledOnce()
})
