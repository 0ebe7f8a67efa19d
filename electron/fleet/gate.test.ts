import { expect, test } from 'vitest'
import { settle, TestClock } from '../test-clock.ts'
import { Gate } from './gate.ts'

test('two hundred at once are spread over two seconds, and one alone does not wait', async () => {
  const clock = new TestClock()
  const gate = new Gate(clock)
  const start = clock.now()
  const at: number[] = []
  const { signal } = new AbortController()
  for (let index = 0; index < 200; index++) void gate.turn(signal).then(() => at.push(clock.now() - start))
  await settle()
  expect(at).toEqual([0])
  await clock.advance(2000)
  expect(at).toHaveLength(200)
  expect(at.at(-1)).toBe(1990)
  for (let second = 0; second < 2; second++) {
    expect(at.filter((ms) => ms >= second * 1000 && ms < (second + 1) * 1000)).toHaveLength(100)
  }
  await clock.advance(5000)
  const before = clock.now()
  await gate.turn(signal)
  expect(clock.now()).toBe(before)
})
