import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newestFirst, readTagPattern } from './tag-pattern.ts'

const matching = (pattern: string, tags: string[]) => {
  const read = readTagPattern(pattern)
  if ('mistake' in read) throw new Error(read.mistake)
  return tags.filter((tag) => read.matches(tag)).join(' ')
}
const versions = [
  '1.9.9',
  'v2.0.0',
  '2.3.0',
  '2.3.5',
  '2.4.0',
  '2.4.0-rc.1',
  '3.0.0',
  '0.2.3',
  '0.2.9',
  '0.3.0',
  'latest',
  'main-abc',
]

test.each([
  ['^2.3', '2.3.0 2.3.5 2.4.0'],
  ['~2.3', '2.3.0 2.3.5'],
  ['>=2.4', '2.4.0 3.0.0'],
  ['>=2.4 <3', '2.4.0'],
  ['2.x', 'v2.0.0 2.3.0 2.3.5 2.4.0'],
  ['2.3.x', '2.3.0 2.3.5'],
  ['^0.2.3', '0.2.3 0.2.9'],
  ['=2.3.5', '2.3.5'],
  ['^2.4.0-rc.0', '2.4.0 2.4.0-rc.1'],
  ['main-*', 'main-abc'],
  ['latest', 'latest'],
  ['2.?.0', '2.3.0 2.4.0'],
  ['*', versions.join(' ')],
])('%s takes %s', (pattern, expected) => expect(matching(pattern, versions)).toBe(expected))

test.each(['', '^', '>=two', 'a b', 'v[12]', '^2 or 3', 'x'.repeat(200)])('%j is refused, with a reason', (pattern) =>
  expect(readTagPattern(pattern)).toHaveProperty('mistake'),
)

test('newest first: by number, a release before its candidates, names last', () => {
  expect(['main', '1.10.0', '1.9.0', '2.0.0-rc.2', '2.0.0-rc.10', '2.0.0'].sort(newestFirst)).toEqual([
    ...['2.0.0', '2.0.0-rc.10', '2.0.0-rc.2', '1.10.0', '1.9.0', 'main'],
  ])
})

test('any text is either a pattern or a mistake, and the order of any tags is one order', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 140 }), fc.string({ maxLength: 140 }), (pattern, tag) => {
      const read = readTagPattern(pattern)
      if ('matches' in read) expect(typeof read.matches(tag)).toBe('boolean')
    }),
  )
  const tag = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,12}$/)
  fc.assert(
    fc.property(tag, tag, (a, b) => {
      if (a !== b) expect(Math.sign(newestFirst(a, b)) + Math.sign(newestFirst(b, a))).toBe(0)
    }),
  )
})

test('a pattern full of stars is quick on a long tag that does not fit', () => {
  expect(matching(`${'*a'.repeat(60)}b`, ['a'.repeat(128)])).toBe('')
})
