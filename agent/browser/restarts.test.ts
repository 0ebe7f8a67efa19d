import { expect, test } from 'vitest'
import { Restarts } from './restarts.ts'

test('waits longer each time, then gives up, and forgets after a while', () => {
  const restarts = new Restarts('on-failure')
  expect([0, 1, 2, 3].map((now) => restarts.next(now).delayMs)).toEqual([1000, 2000, 4000, null])
  expect(restarts.next(4).text).toContain('not started again')
  expect(restarts.next(11 * 60_000).delayMs).toBe(1000)
})

test('never means never', () => {
  expect(new Restarts('never').next()).toEqual({ delayMs: null, text: '' })
})
