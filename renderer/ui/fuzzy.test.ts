import { expect, test } from 'vitest'
import { fuzzyFilter, fuzzyScore } from './fuzzy.ts'

test('letters must stand in order', () => {
  expect(fuzzyScore('p1', 'prod-01')).not.toBeNull()
  expect(fuzzyScore('1p', 'prod-01')).toBeNull()
  expect(fuzzyScore('', 'anything')).toBe(0)
})

test('a word that begins with the letters beats letters that are spread', () => {
  const found = fuzzyFilter('tak', ['Start agent kiosk', 'Take over prod-01', 'Stop attack'], (text) => text)
  expect(found[0]).toBe('Take over prod-01')
})

test('a later, closer match counts, not only the first one', () => {
  const inside = fuzzyScore('live', 'delivers · xxxx') ?? 0
  const later = fuzzyScore('live', 'delivers · live') ?? 0
  expect(later).toBeGreaterThan(inside)
})

test('of two equal matches the shorter text comes first, and nothing typed keeps the order', () => {
  expect(fuzzyFilter('prod', ['prod-100', 'prod-1'], (text) => text)).toEqual(['prod-1', 'prod-100'])
  expect(fuzzyFilter(' ', ['b', 'a'], (text) => text)).toEqual(['b', 'a'])
})

test('spaces typed are not letters wanted', () => {
  expect(fuzzyScore('take over', 'Take over prod-01')).not.toBeNull()
  expect(fuzzyScore('take prod', 'Take over prod-01')).not.toBeNull()
})
