import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Problem } from '../../shared/errors.ts'
import { Throttle } from './throttle.ts'

// What `node:timers/promises` counts by.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}))

/** How long the answer to an attempt takes, in ms, and its code. */
async function attempt(throttle: Throttle, guessed = true): Promise<[waitedMs: number, code: string]> {
  const began = Date.now()
  let end: [number, string] | undefined
  throttle.refuse(guessed).catch((error: unknown) => {
    end = [Date.now() - began, error instanceof Problem ? error.code : String(error)]
  })
  await vi.advanceTimersByTimeAsync(0)
  while (end === undefined) await vi.advanceTimersByTimeAsync(10)
  return end
}

test('each wrong secret after the first few waits longer, up to two seconds', async () => {
  const throttle = new Throttle()
  const waited: number[] = []
  for (let guess = 0; guess < 12; guess++) waited.push((await attempt(throttle))[0])
  expect(waited).toEqual([50, 50, 50, 100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000])
})

test('who mistyped yesterday is not slow today', async () => {
  const throttle = new Throttle()
  for (let guess = 0; guess < 12; guess++) await attempt(throttle)
  vi.setSystemTime(Date.now() + 60_001)
  expect(await attempt(throttle)).toEqual([50, 'unauthorized'])
})

test('to send nothing is no guess: it is answered at once, and slows nobody', async () => {
  const throttle = new Throttle()
  for (let times = 0; times < 20; times++) expect(await attempt(throttle, false)).toEqual([0, 'unauthorized'])
  expect((await attempt(throttle))[0]).toBe(50)
})

test('guesses by the thousand hold 64 answers at most; the others are told to go away', async () => {
  const throttle = new Throttle()
  const ends: string[] = []
  for (let guess = 0; guess < 1000; guess++) {
    void throttle.refuse(true).catch((error: unknown) => void ends.push((error as Problem).code))
  }
  await vi.advanceTimersByTimeAsync(0)
  expect(ends).toEqual(Array(936).fill('too-many-requests'))
  await vi.advanceTimersByTimeAsync(2000)
  expect(ends.filter((code) => code === 'unauthorized')).toHaveLength(64)
})
