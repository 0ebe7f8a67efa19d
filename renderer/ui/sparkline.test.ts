import { expect, test } from 'vitest'
import { sparkPath } from './Sparkline.tsx'

test('values run from the bottom to the top of the box and are held inside it', () => {
  expect(sparkPath([0, 50, 100, 500], 100, 90, 20)).toBe('M0.0 20.0L30.0 10.0L60.0 0.0L90.0 0.0')
})

test('nothing seen draws nothing', () => {
  expect(sparkPath([], 100, 90, 20)).toBe('')
})
