import { expect, test } from 'vitest'
import { browserStates } from '../../../../shared/contract/browser.ts'
import { browserLook, factsOf, type Status } from './facts.ts'

const off: Status = {
  ...{ state: 'inactive', display: null, resolution: null, startedAt: null, cdpUrl: null, url: null },
  ...{ missingDependencies: [], installCommand: null, processes: [], lastError: null, liveView: 'none', warnings: [] },
}

test('every state has a word of its own, also one that is not known here', () => {
  const words = [...browserStates, 'dreaming'].map((state) => browserLook(state).word)
  expect(new Set(words).size).toBe(words.length)
  expect(words).toContain('dreaming')
})

test('facts are said with units, and their absence in words', () => {
  expect(Object.fromEntries(factsOf(off))).toMatchObject({ Display: 'None', Resolution: '–', Picture: 'None' })
  const on = { ...off, display: ':7', resolution: { width: 800, height: 600, dpi: 96 }, liveView: 'vnc' }
  expect(Object.fromEntries(factsOf(on))).toMatchObject({ Resolution: '800 × 600, 96 dpi', Picture: 'VNC' })
})
