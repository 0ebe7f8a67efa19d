import { expect, test } from 'vitest'
import { checkPauses } from './typing.ts'

test('a text with pauses is typed within minutes, or refused with what would fit', () => {
  for (const [length, delay] of [
    [100_000, 0],
    [100_000, 3],
    [300, 1000],
    [0, 1000],
  ] as const)
    expect(() => checkPauses({ text: 'x'.repeat(length), delay })).not.toThrow()
  const refused = { code: 'invalid-params', message: expect.stringContaining('at most 300 characters') }
  expect(() => checkPauses({ text: 'x'.repeat(301), delay: 1000 })).toThrow(expect.objectContaining(refused))
  expect(() => checkPauses({ text: 'x'.repeat(100_000), delay: 4 })).toThrow(/at most 75000 characters/)
})
