import { expect, test } from 'vitest'
import { canBecome, lifecycleStates } from './lifecycle.ts'

/** Written out from the specification, so that the table in the code is checked against something else. */
const allowed = new Set([
  'starting>running',
  'starting>killed',
  'running>paused',
  'running>killed',
  'running>expired',
  'running>terminated',
  'paused>running',
  'paused>killed',
  'paused>expired',
  'running>unknown',
  'paused>unknown',
  'unknown>running',
  'unknown>paused',
  'unknown>killed',
])
const wakes = new Set(['killed', 'expired', 'terminated', 'unknown'])

test('only the listed transitions exist', () => {
  for (const from of lifecycleStates) {
    for (const to of lifecycleStates) {
      expect(canBecome(from, to, 'observed'), `${from} → ${to}`).toBe(allowed.has(`${from}>${to}`))
      expect(canBecome(from, to, 'wake'), `wake ${from} → ${to}`).toBe(to === 'starting' && wakes.has(from))
    }
  }
})
