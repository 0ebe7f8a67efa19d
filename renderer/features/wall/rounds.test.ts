import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRounds } from './rounds.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('only what is in sight is looked at, a few at once, again after a while', async () => {
  const looked: string[] = []
  const open = new Map<string, () => void>()
  const rounds = startRounds({
    everyMs: 1000,
    atOnce: 2,
    look: (id) => {
      looked.push(id)
      return new Promise((resolve) => open.set(id, resolve))
    },
  })
  const finish = async (id: string) => {
    open.get(id)?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  rounds.see(new Set(['a', 'b', 'c']))
  expect(looked).toEqual(['a', 'b'])
  await finish('a')
  expect(looked).toEqual(['a', 'b', 'c'])
  await finish('b')
  await finish('c')
  expect(looked).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(1000)
  expect(looked.slice(3)).toEqual(['a', 'b'])
  await finish('a')
  await finish('b')
  await finish('c')
  rounds.see(new Set())
  await vi.advanceTimersByTimeAsync(10_000)
  const before = looked.length
  rounds.see(new Set(['b']))
  expect(looked.slice(before)).toEqual(['b'])
  rounds.stop()
  await finish('b')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(looked).toHaveLength(before + 1)
})

test('a machine that fails is tried again in its turn', async () => {
  let tries = 0
  const rounds = startRounds({
    everyMs: 500,
    atOnce: 1,
    look: async () => void (await Promise.reject(new Error(`${++tries}`))),
  })
  rounds.see(new Set(['a']))
  await vi.advanceTimersByTimeAsync(1600)
  expect(tries).toBe(4)
  rounds.stop()
})
