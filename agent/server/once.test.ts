import { expect, onTestFinished, test, vi } from 'vitest'
import { type Answer, Once, onceWindowMs } from './once.ts'

const answer = (body: string): Answer => ({ status: 200, contentType: 'application/json', body })
/** Keys that are in the audit log of an earlier run. */
const audit = (...keys: string[]) => ({ usedKey: (key: string) => (keys.includes(key) ? 7 : undefined) })

test('two at once run once and get the same answer', async () => {
  const once = new Once(audit())
  const gate = Promise.withResolvers<Answer>()
  let runs = 0
  const work = () => {
    runs++
    return gate.promise
  }
  const both = [once.run('k', 'a', work), once.run('k', 'a', work)]
  gate.resolve(answer('done'))
  expect(await Promise.all(both)).toEqual([answer('done'), answer('done')])
  expect(runs).toBe(1)
})

test('another request with the same key is refused, while the first runs and afterwards', async () => {
  const once = new Once(audit())
  const first = once.run('k', 'a', async () => answer('1'))
  expect(() => once.run('k', 'b', async () => answer('2'))).toThrow(/another request/)
  await first
  expect(() => once.run('k', 'b', async () => answer('2'))).toThrow(/another request/)
})

test('after ten minutes a key is a new one, and not a moment before', async () => {
  let now = 0
  let runs = 0
  const once = new Once(audit(), () => now)
  const work = async () => answer(String(++runs))
  await once.run('k', 'a', work)
  now = onceWindowMs - 1
  expect(await once.run('k', 'a', work)).toEqual(answer('1'))
  now = onceWindowMs
  expect(await once.run('k', 'a', work)).toEqual(answer('2'))
})

test('a clock that is set forward does not make a key a new one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const once = new Once(audit())
  await once.run('k', 'a', async () => answer('1'))
  vi.setSystemTime(Date.now() + 2 * onceWindowMs)
  expect(await once.run('k', 'a', async () => answer('2'))).toEqual(answer('1'))
})

test('what never began may be tried again with the same key', async () => {
  const once = new Once(audit())
  await expect(once.run('k', 'a', () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
  expect(await once.run('k', 'a', async () => answer('1'))).toEqual(answer('1'))
})

test('a key of an earlier run, and one whose answer was too large to keep, run nothing', async () => {
  expect(() => new Once(audit('k')).run('k', 'a', async () => answer(''))).toThrow(/audit entry 7/)
  const used: string[] = []
  const once = new Once({ usedKey: (key) => (used.includes(key) ? 9 : undefined) })
  for (let n = 0; n < 20; n++) {
    await once.run(`k${n}`, 'a', async () => answer('x'.repeat(1024 * 1024)))
    used.push(`k${n}`)
  }
  expect(() => once.run('k0', 'a', async () => answer(''))).toThrow(/no longer kept/)
  expect((await once.run('k19', 'a', async () => answer(''))).body).toHaveLength(1024 * 1024)
})
