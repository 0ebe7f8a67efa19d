import { expect, test } from 'vitest'
import { driftOf, type EnvOf } from './drift.ts'

const env = (machineId: string, fingerprints: Record<string, string>, changed: Partial<EnvOf> = {}): EnvOf => ({
  ...{ machineId, fingerprints, saltMark: 'salt', live: true },
  vars: Object.fromEntries(Object.keys(fingerprints).map((key) => [key, key === 'API_KEY' ? '***' : 'v'])),
  redactedKeys: Object.keys(fingerprints).filter((key) => key === 'API_KEY'),
  ...changed,
})

test('same, differs and missing follow from fingerprints alone', () => {
  const rows = driftOf(env('a', { URL: '1', API_KEY: '2', ONLY_A: '3' }), [
    env('b', { URL: '1', API_KEY: '9', ONLY_B: '4' }, { live: false }),
  ])
  expect(rows.map(({ key, cells, drifts }) => [key, cells['a'], cells['b'], drifts])).toEqual([
    ['API_KEY', 'same', 'differs', true],
    ['ONLY_A', 'same', 'missing', true],
    ['ONLY_B', 'missing', 'extra', true],
    ['URL', 'same', 'same', false],
  ])
})

test('machines with salts of their own are compared only where both show the value', () => {
  const [row, other] = driftOf(env('a', { API_KEY: '1', URL: '2' }), [
    env('b', { API_KEY: '5', URL: '6' }, { saltMark: 'another' }),
    env('c', { API_KEY: '5', URL: '6' }, { saltMark: undefined, live: false }),
  ])
  expect(row?.cells).toEqual({ a: 'same', b: 'unclear', c: 'unclear' })
  expect(other?.cells).toEqual({ a: 'same', b: 'same', c: 'unclear' })
})
