import { expect, test } from 'vitest'
import { linksOf } from './chain.ts'

const agentOf = (clockAheadMs: number | null) =>
  linksOf({
    ...{ state: 'running', tunnelDetail: '10.0.0.5', isLocal: false, connected: true, problem: undefined },
    ...{ checking: undefined, agentVersion: '0.1.0', roundTripMs: 8, capabilities: {}, browser: null, clockAheadMs },
  }).agent.detail

test('a clock that is off by minutes or hours stands beside the agent whose times are told by it', () => {
  const minute = 60_000
  expect([null, 0, 5000, -59_000].map(agentOf)).toEqual(['0.1.0', '0.1.0', '0.1.0', '0.1.0'])
  expect(agentOf(180 * minute)).toBe('0.1.0 · clock 3 h ahead')
  expect(agentOf(-7 * minute)).toBe('0.1.0 · clock 7 min behind')
  expect(agentOf(90.2 * minute)).toBe('0.1.0 · clock 1 h 30 min ahead')
  expect(agentOf(-400 * 24 * 60 * minute)).toBe('0.1.0 · clock wrong by days')
})
