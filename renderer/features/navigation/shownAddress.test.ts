import { expect, test } from 'vitest'
import { shownAddress } from './shownAddress.ts'

test.each([
  ['https://jobs.example/apply?step=2', 'https://jobs.example/apply?step=2'],
  ['about:blank', 'about:blank'],
  ['data:text/html;base64,AAAA', 'data: text/html, 26 bytes'],
  [`data:,${'x'.repeat(4090)}`, 'data: text/plain, 4 KB'],
  [null, '—'],
])('%s is shown as %s', (url, shown) => {
  expect(shownAddress(url)).toBe(shown)
})
