import { expect, test } from 'vitest'
import { noDraft, setValue } from './draft.ts'
import { type Env, rowsOf, shortened } from './rows.ts'

const env: Env = {
  vars: { API_URL: 'https://one.example.org', API_KEY: '', lower: '1' },
  redactedKeys: ['API_KEY'],
  fingerprints: { API_URL: 'a', API_KEY: 'b', lower: 'c' },
  duplicateKeys: ['lower'],
}
const keys = (query: string) => rowsOf(env, noDraft, {}, query).map(({ key }) => key)

test('a search looks into keys and into values that may be seen', () => {
  expect(keys('')).toEqual(['API_URL', 'API_KEY', 'lower'])
  expect(keys('EXAMPLE')).toEqual(['API_URL'])
  expect(keys('api')).toEqual(['API_URL', 'API_KEY'])
})

test('a new variable that is called as something every object has is a row like any other', () => {
  const [row] = rowsOf(env, setValue(noDraft, env, 'constructor', 'x'), {}, 'constructor')
  expect(row).toMatchObject({ key: 'constructor', value: 'x', change: 'added', fingerprint: '', revealed: null })
})

test('a value of any length takes a row and no more, and says how long it is', () => {
  expect(shortened('short', 300)).toBe('short')
  const shown = shortened('x'.repeat(100_000), 300)
  expect(shown.length).toBeLessThan(340)
  expect(shown).toContain('(100000 characters)')
})
