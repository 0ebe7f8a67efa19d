import { expect, test } from 'vitest'
import { priceRows, readPrices } from './prices.ts'

const prices = { 't3.large': 0.0832, 'm5.xlarge': 0.192 }

test('what is shown is read again', () => {
  const { mistakes, usdPerHour } = readPrices(priceRows(prices))
  expect(mistakes.size).toBe(0)
  expect(usdPerHour).toEqual(prices)
})

test.each([
  ['t3large', '1', 'looks like'],
  ['', '1', 'looks like'],
  ['c5.large', '', 'is a number'],
  ['c5.large', 'x', 'is a number'],
  ['c5.large', '-1', 'is a number'],
  ['c5.large', '1001', 'is a number'],
  [' t3.large ', '1', 'twice'],
])('a line that makes no sense is named: %s %s', (type, usd, words) => {
  const { mistakes } = readPrices([...priceRows(prices), { id: 7, type, usd }])
  expect([...mistakes]).toEqual([[7, expect.stringContaining(words)]])
})
