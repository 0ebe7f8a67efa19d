import { expect, test } from 'vitest'
import { Scrollback, scrollbackBytes } from './scrollback.ts'

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
