import { expect, test } from 'vitest'
import { parsePrices, printPrices } from './prices.ts'

test('what is printed is read again', () => {
  const prices = { 't3.large': 0.0832, 'm5.xlarge': 0.192 }
  expect(parsePrices(`\n${printPrices(prices)}\n`)).toEqual({ usdPerHour: prices })
})

test.each(['t3large 1', 't3.large', 't3.large x', 't3.large 1 2', 't3.large -1'])(
  'a line that makes no sense is named: %s',
  (line) => {
    expect(parsePrices(`m5.large 0.1\n${line}`)).toMatchObject({ mistake: expect.stringContaining(line) })
  },
)
