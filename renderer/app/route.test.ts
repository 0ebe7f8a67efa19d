import { expect, test } from 'vitest'
import { parsePins } from './pins.ts'
import { formatRoute, parseRoute } from './route.ts'

test('a place survives the way through the address', () => {
  const place = { screen: 'machine', machineId: 'a/b c%', tab: 'overview' } as const
  expect(parseRoute(formatRoute(place))).toEqual(place)
  const logs = { screen: 'logs', machineIds: ['a/b,c', 'd'] } as const
  expect(parseRoute(formatRoute(logs))).toEqual(logs)
  expect(parseRoute('#/logs')).toEqual({ screen: 'logs', machineIds: [] })
  expect(parseRoute('#/settings')).toEqual({ screen: 'settings' })
})

test('what is not known leads to the fleet, or to a machine’s live view', () => {
  expect(parseRoute('')).toEqual({ screen: 'fleet' })
  expect(parseRoute('#/nonsense')).toEqual({ screen: 'fleet' })
  expect(parseRoute('#/machine/')).toEqual({ screen: 'fleet' })
  expect(parseRoute('#/machine/m1/nonsense')).toEqual({ screen: 'machine', machineId: 'm1', tab: 'live' })
  expect(parseRoute('#/machine/%E0%A4%A')).toMatchObject({ screen: 'machine', machineId: '%E0%A4%A' })
})

test('pins that cannot be read are no pins', () => {
  expect(parsePins(null)).toEqual([])
  expect(parsePins('{')).toEqual([])
  expect(parsePins('["a", 1, "b"]')).toEqual(['a', 'b'])
})
