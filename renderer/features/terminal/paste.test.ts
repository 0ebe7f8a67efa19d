import { expect, test } from 'vitest'
import { shownTitle } from './guards.ts'
import { cleanPaste, pastedLines } from './paste.ts'

test('a paste cannot end its own brackets or press keys', () => {
  expect(cleanPaste('a\u001b[201~rm -rf\u0003b\tc\r\nd')).toBe('a[201~rm -rfb\tc\r\nd')
})

test('lines that would run are counted', () => {
  expect(pastedLines('one')).toBe(1)
  expect(pastedLines('one\n')).toBe(1)
  expect(pastedLines('one\r\ntwo\n\n')).toBe(2)
})

test('titles are one short line that reads as it stands', () => {
  expect(shownTitle('a\u0007b\n\u202ec')).toBe('a b  c')
  expect(shownTitle('x'.repeat(5000))).toHaveLength(60)
})
