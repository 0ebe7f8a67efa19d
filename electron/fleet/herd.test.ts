import { expect, test } from 'vitest'
import { settle, TestClock } from '../test-clock.ts'
import type { Vault } from '../vault/vault.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet } from './fleet.ts'
import { newRecord } from './new-record.ts'

test('200 agents that restart at once are all seen again, and never asked all in the same moment', async () => {
  const clock = new TestClock()
  const count = 200
  const agents = Array.from({ length: count }, (_, place) => {
    const agent = new FakeAgent()
    agent.agentId = `agent-${place}`
    return agent
  })
  const asked = new Map<number, number>()
  const now = new Date(clock.now()).toISOString()
  const records = agents.map((agent, place) => ({
    ...newRecord({
      ...{ id: `m${place}`, name: `m${place}`, environment: 'dev', machineType: 'ssh_host', now },
      tunnel: { kind: 'direct', host: '10.0.0.1', port: place + 1 },
    }),
    agentId: agent.agentId,
  }))
  const fleet = new Fleet({
    store: {
      machines: { all: () => records, save: () => {}, change: () => {}, remove: () => {} },
      metrics: { add: () => {} },
      events: { add: () => {} },
    } as never,
    vault: { get: async () => 'secret', state: async () => ({ state: 'ready', detail: '' }) } as unknown as Vault,
    openTunnel: (config) => {
      const agent = agents[config.kind === 'direct' ? config.port - 1 : 0] as FakeAgent
      const transport = agent.transport()
      return {
        transport: () => ({
          ...transport,
          request: (request) => {
            if (request.path === '/status') asked.set(clock.now(), (asked.get(clock.now()) ?? 0) + 1)
            return transport.request(request)
          },
        }),
        state: { state: 'up', detail: '' },
        close: () => agent.dropSockets(),
      }
    },
    ...{ clock, operator: () => 'ada', log: () => {}, onChanged: () => {}, onEvent: () => {} },
  })
  fleet.start()
  await clock.advance(5000)
  const up = () => fleet.list().filter(({ links }) => links.agent.state === 'up').length
  expect(up()).toBe(count)
  expect(mostWithin(asked, 100)).toBeLessThanOrEqual(20)

  asked.clear()
  const began = clock.now()
  for (const agent of agents) agent.goAway()
  await settle()
  await clock.advance(1500)
  for (const agent of agents) agent.failure = undefined
  await clock.advance(6000)
  expect(up()).toBe(count)
  expect(Math.max(...asked.keys()) - began).toBeGreaterThan(1500)
  expect(mostWithin(asked, 100)).toBeLessThanOrEqual(40)
  await fleet.stop()
}, 30_000)

/** The largest number of calls in any stretch of so many milliseconds. */
function mostWithin(calls: Map<number, number>, ms: number): number {
  const moments = [...calls].sort(([a], [b]) => a - b)
  return Math.max(
    ...moments.map(([from]) =>
      moments.reduce((sum, [at, times]) => (at >= from && at < from + ms ? sum + times : sum), 0),
    ),
  )
}
