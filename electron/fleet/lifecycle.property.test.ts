import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canBecome, lifecycleStates } from '../../shared/domain/lifecycle.ts'
import { Problem, type ProblemCode } from '../../shared/errors.ts'
import type { Provider } from '../providers/provider.ts'
import type { MachineRecord, Transition } from '../store/machines.ts'
import { TestClock } from '../test-clock.ts'
import { Vault } from '../vault/vault.ts'
import { FakeAgent } from './fake-agent.ts'
import { Fleet } from './fleet.ts'
import { newRecord } from './new-record.ts'

const codes = [
  'unauthorized',
  'too-many-requests',
  'unknown-host',
  'internal',
  'stopping',
] as const satisfies ProblemCode[]
const powers = [
  'starting',
  'running',
  'stopping',
  'stopped',
  'terminated',
  'unknown',
  'not-found',
  'forbidden',
] as const

/** Anything that can be observed of a machine, or done to it. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('answers' as const), agentId: fc.constantFrom('agent-1', 'agent-2') }),
  fc.record({ kind: fc.constant('fails' as const), code: fc.constantFrom(...codes) }),
  fc.record({
    kind: fc.constant('silent' as const),
    errno: fc.constantFrom('ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET'),
  }),
  fc.record({ kind: fc.constant('power' as const), state: fc.constantFrom(...powers) }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 100, max: 40_000 }) }),
  fc.record({
    kind: fc.constant('browser' as const),
    state: fc.constantFrom('active', 'inactive', 'failed', 'starting'),
  }),
  fc.constant({ kind: 'drop' as const }),
  fc.constant({ kind: 'verify' as const }),
  fc.constant({ kind: 'wake' as const }),
  fc.constant({ kind: 'stop' as const }),
)

test('whatever is observed, in whatever order, only the transitions of the table are made', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lifecycleStates), fc.array(step, { maxLength: 14 }), async (start, steps) => {
      const clock = new TestClock()
      const agent = new FakeAgent()
      const made: Transition[] = []
      let power: (typeof powers)[number] = 'running'
      const provider: Provider = {
        ...{ kind: 'ec2', name: 'EC2', actions: ['start', 'stop', 'reboot'] },
        describe: async () => {
          if (power === 'not-found' || power === 'forbidden') throw new Problem(power, 'says EC2')
          return { state: power }
        },
        start: async () => {
          power = 'running'
        },
        stop: async () => {
          power = 'stopped'
        },
      }
      const tunnel = { kind: 'direct', host: '10.0.0.1', port: 1 } as const
      const now = new Date(clock.now()).toISOString()
      const record: MachineRecord = {
        ...newRecord({ id: 'm', name: 'm', environment: 'dev', machineType: 'ec2', tunnel, now }),
        ...{ state: start, agentId: 'agent-1' },
      }
      const fleet = new Fleet({
        store: {
          machines: { all: () => [record], save: () => {}, change: () => {}, remove: () => {} },
          metrics: { add: () => {} },
          events: { add: () => {} },
        } as never,
        vault: new Vault({ open: () => Promise.reject(new Error('none')) }),
        openTunnel: () => ({
          transport: () => agent.transport(),
          state: { state: 'up', detail: '' },
          close: () => agent.dropSockets(),
        }),
        makeProvider: () => provider,
        operator: () => 'ada',
        ...{ clock, log: () => {}, onChanged: () => {}, onEvent: () => {} },
        onTransition: (_id, transition) => void made.push(transition),
      })
      await new Promise((resolve) => setImmediate(resolve))
      fleet.start()
      for (const one of steps) {
        if (one.kind === 'answers') {
          agent.failure = undefined
          agent.agentId = one.agentId
        } else if (one.kind === 'fails') agent.refuse(one.code)
        else if (one.kind === 'silent') agent.failure = { code: one.errno }
        else if (one.kind === 'power') power = one.state
        else if (one.kind === 'browser') {
          agent.browser = { state: one.state }
          agent.emit('browser_state', { state: one.state, url: null, reason: 'x' })
        } else if (one.kind === 'drop') agent.dropSockets()
        else if (one.kind === 'verify') void fleet.verify('m').catch(() => {})
        else if (one.kind === 'wake') void fleet.wake('m').catch(() => {})
        else if (one.kind === 'stop') void fleet.powerOff('m', 'a person').catch(() => {})
        await clock.advance(one.kind === 'time' ? one.ms : 10)
      }
      await fleet.stop()
      let state = start
      for (const { from, to } of made) {
        expect(from).toBe(state)
        const exists = canBecome(from, to, 'observed') || canBecome(from, to, 'wake')
        expect(exists, `${from} → ${to}`).toBe(true)
        state = to
      }
      expect(fleet.machine('m').record.state).toBe(state)
    }),
    { numRuns: 120 },
  )
}, 60_000)
