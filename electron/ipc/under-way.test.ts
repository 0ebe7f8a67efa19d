import { expect, test } from 'vitest'
import type { Caller } from './dispatch.ts'
import { UnderWay } from './under-way.ts'

const until = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('called off')))

test('a call is called off by its id, and when its page goes; the id is free again afterwards', async () => {
  let goes = () => {}
  let listening = 0
  const caller: Caller = {
    sendPort: () => true,
    onGone: (callback) => {
      goes = callback
      listening++
      return () => listening--
    },
  }
  const calls = new UnderWay()
  const first = calls.run('a', caller, until)
  const other = calls.run('b', caller, async () => 'done')
  await expect(calls.run('a', caller, until)).rejects.toMatchObject({ code: 'conflict' })
  calls.cancel('a')
  expect([await first, await other]).toEqual(['called off', 'done'])
  const again = calls.run('a', caller, until)
  goes()
  expect(await again).toBe('called off')
  expect(listening).toBe(0)
  calls.cancel('a')
})
