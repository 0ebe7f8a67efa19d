import { expect, test } from 'vitest'
import { parseShells } from './kept-shells.ts'

test('what is kept of shells is read as far as it is one', () => {
  const shell = { machineId: 'm', shellId: 's' }
  expect(parseShells(JSON.stringify([shell, { machineId: 1 }, null, 'x']))).toEqual([shell])
  for (const text of [null, '', '{', '{"machineId":"m"}', 'null']) expect(parseShells(text)).toEqual([])
})
