import { expect, test } from 'vitest'
import { aimedOf } from './aimed.ts'

const said = (at: number, title: string) => ({ at, title })
const find = (items: readonly ReturnType<typeof said>[], at: number, title: string) =>
  aimedOf(items, (item) => item.title, { at, title })

test('of several that read the same the nearest is meant, and of several at one moment the one that reads the same', () => {
  const items = [said(1000, 'broken'), said(5000.4, 'other'), said(5000.7, 'broken'), said(9000, 'broken')]
  expect(find(items, 5000, 'broken')).toBe(items[2])
  // Repeated since: only its last time is known.
  expect(find(items, 8200, 'broken')).toBe(items[3])
})

test('words that were shortened on the way are told by the moment; what is not there is not found', () => {
  const items = [said(5000.4, 'a long story'), said(6000, 'a long story')]
  expect(find(items, 5000, 'a long st')).toBe(items[0])
  expect(find(items, 7000, 'a long st')).toBeUndefined()
})
