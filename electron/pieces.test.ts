import { expect, test } from 'vitest'
import { inPieces } from './pieces.ts'

const kilobytes = (count: number) => Uint8Array.from({ length: count * 1024 }, (_, at) => at % 251)

test.each([0, 1, 64, 65, 200])(
  '%i KB arrive whole, and are told to be taken only with the last piece',
  async (count) => {
    const bytes = kilobytes(count)
    const told: number[] = []
    const got: number[] = []
    for await (const piece of inPieces(bytes, () => told.push(got.length))) got.push(...piece)
    expect(Buffer.compare(Buffer.from(got), bytes)).toBe(0)
    expect(told).toEqual([bytes.length])
  },
)

test('nothing is given before it is asked for', async () => {
  let taken = false
  const reader = inPieces(kilobytes(10), () => {
    taken = true
  }).getReader()
  await reader.read()
  expect(taken).toBe(false)
  expect((await reader.read()).done).toBe(true)
  expect(taken).toBe(true)
})
