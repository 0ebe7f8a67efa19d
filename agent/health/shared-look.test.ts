import { expect, test } from 'vitest'
import { SharedLook } from './shared-look.ts'

test('one look at a time, and nobody gets one from before they asked', async () => {
  const ends: PromiseWithResolvers<string>[] = []
  const shared = new SharedLook(() => {
    const end = Promise.withResolvers<string>()
    ends.push(end)
    return end.promise
  })
  const first = shared.look()
  const during = Array.from({ length: 100 }, () => shared.look())
  expect(ends).toHaveLength(1)
  ends[0]?.resolve('first')
  expect(await first).toBe('first')
  await Promise.resolve()
  expect(ends).toHaveLength(2)
  const later = shared.look()
  ends[1]?.resolve('second')
  expect(new Set(await Promise.all(during))).toEqual(new Set(['second']))
  await Promise.resolve()
  ends[2]?.resolve('third')
  expect(await later).toBe('third')
})

test('a look that fails is told to those who asked for it, and the next is a new one', async () => {
  let looks = 0
  const shared = new SharedLook(async () => {
    if (++looks === 1) throw new Error('no engine')
    return looks
  })
  const [first, second] = [shared.look(), shared.look()]
  await expect(first).rejects.toThrow('no engine')
  expect(await second).toBe(2)
  expect(await shared.look()).toBe(3)
})
