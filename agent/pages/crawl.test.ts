import { expect, test } from 'vitest'
import { isAllowed, normalised } from './crawl.ts'

test('an address counts once, whatever its fragment', () => {
  expect(normalised('https://A.example:443/x?b=1#top')).toBe('https://a.example/x?b=1')
  expect(normalised('https://a.example')).toBe(normalised('https://a.example/#'))
  expect(normalised('https://a.example/x?')).toBe('https://a.example/x')
  for (const other of ['mailto:a@b.c', 'javascript:1', 'file:///x', 'data:text/html,x', 'nothing', ''])
    expect(normalised(other)).toBeUndefined()
})

test('a domain allows what is below it, and nothing that only ends the same', () => {
  const domains = ['example.org', '*.other.test', 'bücher.test']
  expect(isAllowed('https://www.bücher.test/', domains)).toBe(true)
  expect(isAllowed('https://example.org/', domains)).toBe(true)
  expect(isAllowed('https://www.Example.org/', domains)).toBe(true)
  expect(isAllowed('https://a.other.test/', domains)).toBe(true)
  expect(isAllowed('https://badexample.org/', domains)).toBe(false)
  expect(isAllowed('https://example.org.evil.test/', domains)).toBe(false)
})
