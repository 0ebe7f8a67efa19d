import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { Age } from './Age.tsx'

vi.mock('./clock.ts', () => ({ useNow: () => Date.parse('2026-01-01T00:01:00Z') }))
const shown = (at: string | null) => renderToStaticMarkup(<Age at={at} />)

test('what is no time has no age, and what never was says so', () => {
  expect(shown('2026-01-01T00:00:30Z')).toBe('30 s ago')
  expect(shown('yesterday')).toBe('–')
  expect(shown(null)).toBe('never')
  expect(shown('3000-01-01T00:00:00Z')).toBe('just now')
})
