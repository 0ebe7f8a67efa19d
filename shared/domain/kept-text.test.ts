import { expect, test } from 'vitest'
import { keptText } from './kept-text.ts'

test('is the beginning, and the text itself where that is short enough', () => {
  expect(keptText('héllo wörld', 5)).toBe('héllo')
  expect(keptText('short', 5)).toBe('short')
  expect(keptText('\ufeffabc', 2)).toBe('\ufeffa')
  // Half a letter is none.
  expect(keptText('🚢🚢', 3)).toBe('🚢�')
})
