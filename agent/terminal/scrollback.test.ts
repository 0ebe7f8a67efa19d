import { expect, test } from 'vitest'
import { blockBytes, Scrollback, scrollbackBytes } from './scrollback.ts'

const numbered = (from: number, count: number) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `${from + i}\n`).join(''))

test('gives exactly what follows a position', () => {
  const scrollback = new Scrollback()
  scrollback.add(Buffer.from('one '))
  scrollback.add(Buffer.from('two'))
  expect(scrollback.from(3)).toEqual({ position: 3, bytes: Buffer.from(' two') })
  expect(scrollback.from(7)).toEqual({ position: 7, bytes: Buffer.alloc(0) })
  expect(scrollback.from(undefined).bytes.toString()).toBe('one two')
  // From a terminal that never was: all there is.
  expect(scrollback.from(8).position).toBe(0)
})

test('keeps the last two mebibytes, and begins with a whole line', () => {
  const scrollback = new Scrollback()
  let at = 0
  while (scrollback.end < 2.5 * scrollbackBytes) {
    scrollback.add(numbered(at, 5000))
    at += 5000
  }
  const { position, bytes } = scrollback.from(0)
  expect(bytes.length).toBeGreaterThanOrEqual(scrollbackBytes - 10)
  expect(bytes.length).toBeLessThan(scrollbackBytes + 100_000)
  expect(position + bytes.length).toBe(scrollback.end)
  expect(bytes.toString()).toMatch(/^\d+\n/)
  expect(bytes.toString().endsWith(`${at - 1}\n`)).toBe(true)
})

test('a byte at a time takes no more memory than all at once', () => {
  const scrollback = new Scrollback()
  const before = process.memoryUsage()
  for (let count = 0; count < 400_000; count++) scrollback.add(Buffer.from([97 + (count % 26)]))
  const after = process.memoryUsage()
  const grown = after.heapUsed + after.external - before.heapUsed - before.external
  // What is thrown away at once may not be gone yet; kept, it would be a hundred bytes for each.
  expect(scrollback.from(0).bytes.length).toBe(400_000)
  expect(scrollback.from(399_990).bytes.toString()).toBe(
    'klmnopqrst'.slice(0, 10).replace(/./g, (_, at: number) => String.fromCharCode(97 + ((399_990 + at) % 26))),
  )
  expect(grown).toBeLessThan(30_000_000)
})

test('what is read into it is given out again as it lies there, whatever comes behind it', () => {
  const scrollback = new Scrollback()
  scrollback.add(Buffer.alloc(blockBytes - 5, 'a'))
  const read = (text: string) => (room: Buffer) => room.write(text)
  expect(scrollback.fill(read('bcdef'))).toBe(5)
  expect(scrollback.fill(read('ghi'))).toBe(3)
  const pieces = scrollback.last(7)
  expect(pieces.map(String)).toEqual(['cdef', 'ghi'])
  scrollback.add(Buffer.alloc(scrollbackBytes * 2, 'z'))
  expect(pieces.map(String)).toEqual(['cdef', 'ghi'])
  expect(scrollback.fill(() => 0)).toBe(0)
  expect(() => scrollback.last(scrollbackBytes * 2)).toThrow(/no longer kept/)
})
