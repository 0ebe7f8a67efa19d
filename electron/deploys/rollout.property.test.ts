import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Rollout } from '../../shared/domain/rollout.ts'
import { hasEnded, isEnded, isUnderWay } from '../../shared/domain/rollout-states.ts'
import { newRollout } from './new-rollout.ts'
import { apply, type LegEnd, nextLegs, type RolloutEvent } from './rollout.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
const at = '2026-01-01T00:00:00.000Z'
const ends: LegEnd[] = [
  ...(['completed', 'failed', 'broken', 'unhealthy', 'unreachable', 'held'] as const),
  ...(['busy', 'refused', 'changed', 'lost', 'cancelled'] as const),
]

const someId = fc.constantFrom(...ids)
const event: fc.Arbitrary<RolloutEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('begin' as const), machineId: someId }) },
  fc.record({ type: fc.constant('checked' as const), machineId: someId, facts: fc.constant({ baseline: 7 }) }),
  fc.record({ type: fc.constant('deployed' as const), machineId: someId, facts: fc.constant({ agentDeployId: 8 }) }),
  fc.record({ type: fc.constant('notBegun' as const), machineId: someId }),
  fc.record({
    ...{ type: fc.constant('ended' as const), machineId: someId },
    ...{ end: fc.constantFrom(...ends), detail: fc.constant('why') },
  }),
  fc.constantFrom<RolloutEvent>({ type: 'pause' }, { type: 'resume' }, { type: 'cancel' }, { type: 'restarted' }),
  fc.record({ type: fc.constant('retry' as const), machineIds: fc.subarray(ids), force: fc.boolean() }),
)

const made = fc.record({
  count: fc.integer({ min: 1, max: ids.length }),
  maxUnavailable: fc.integer({ min: 1, max: 4 }),
  onFailure: fc.constantFrom('stop' as const, 'continue' as const),
})

function begin({ count, ...options }: { count: number; maxUnavailable: number; onFailure: 'stop' | 'continue' }) {
  const machines = ids.slice(0, count).map((id) => ({ machineId: id, name: id, environment: 'prod' as const }))
  return newRollout({ ...options, machines, tag: 'v2', operator: 'ada', force: false, at })
}

function keepsItsWord(before: Rollout, after: Rollout, given: RolloutEvent): void {
  const underWay = after.legs.filter(({ state }) => isUnderWay(state))
  expect(underWay.length).toBeLessThanOrEqual(after.maxUnavailable)
  // One batch at a time.
  expect(new Set(underWay.map(({ batch }) => batch)).size).toBeLessThanOrEqual(1)
  for (const [place, leg] of after.legs.entries()) {
    const was = before.legs[place]
    if (was === undefined) throw new Error('a leg came from nowhere')
    // What is deployed is never deployed again, whatever anyone says.
    if (was.state === 'completed') expect(leg).toEqual(was)
    // Nothing begins that nobody lets begin.
    if (was.state !== leg.state && leg.state === 'deploying') expect(before.status).toBe('running')
    // The agent is asked anew, under a new key, only because a person said so.
    if (leg.attempt !== was.attempt) expect(given.type).toBe('retry')
    // Every end has a name, words and a time.
    if (isEnded(leg.state)) expect([leg.endedAt, leg.detail !== null || leg.state === 'completed']).toEqual([at, true])
  }
  const open = after.legs.some(({ state }) => !isEnded(state))
  expect(hasEnded(after.status)).toBe(!open)
  if (hasEnded(after.status)) {
    expect(after.endedAt).toBe(at)
    expect(after.status === 'completed').toBe(after.legs.every(({ state }) => state === 'completed'))
  }
}

test('whatever happens in whatever order, no rule is broken', () => {
  fc.assert(
    fc.property(made, fc.array(event, { maxLength: 60 }), (options, events) => {
      let rollout = begin(options)
      for (const given of events) {
        const next = apply(rollout, given, at)
        keepsItsWord(rollout, next, given)
        rollout = next
      }
    }),
    { numRuns: 1000 },
  )
})

test('from wherever it is, it comes to a named end once every machine answers and nobody holds it up', () => {
  fc.assert(
    fc.property(made, fc.array(event, { maxLength: 40 }), fc.constantFrom(...ends), (options, events, end) => {
      let rollout = begin(options)
      for (const given of events) rollout = apply(rollout, given, at)
      for (let turn = 0; turn < 200 && !hasEnded(rollout.status); turn++) {
        if (rollout.status === 'paused' || rollout.status === 'interrupted')
          rollout = apply(rollout, { type: 'resume' }, at)
        for (const { machineId } of nextLegs(rollout)) rollout = apply(rollout, { type: 'begin', machineId }, at)
        for (const leg of rollout.legs.filter(({ state }) => isUnderWay(state))) {
          rollout = apply(rollout, { type: 'ended', machineId: leg.machineId, end, detail: 'why' }, at)
        }
      }
      expect(hasEnded(rollout.status)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('after a failure that stops it, nothing more is begun, and the rest is named as not begun', () => {
  let rollout = begin({ count: 3, maxUnavailable: 1, onFailure: 'stop' })
  rollout = apply(rollout, { type: 'begin', machineId: 'a' }, at)
  rollout = apply(rollout, { type: 'ended', machineId: 'a', end: 'failed', detail: 'not healthy' }, at)
  expect(rollout).toMatchObject({ status: 'failed', stoppedBy: 'failure' })
  expect(rollout.legs.map(({ state }) => state)).toEqual(['failed', 'skipped', 'skipped'])
  const again = apply(rollout, { type: 'retry', machineIds: ['a', 'b', 'c'], force: true }, at)
  expect(again.status).toBe('running')
  expect(again.legs.map(({ state, attempt, batch }) => [state, attempt, batch])).toEqual([
    ['waiting', 2, 3],
    ['waiting', 2, 4],
    ['waiting', 2, 5],
  ])
})

test('with "go on", the others have their turn, and the end says that one failed', () => {
  let rollout = begin({ count: 2, maxUnavailable: 1, onFailure: 'continue' })
  for (const [machineId, end] of [
    ['a', 'busy'],
    ['b', 'completed'],
  ] as const) {
    expect(nextLegs(rollout).map((leg) => leg.machineId)).toEqual([machineId])
    rollout = apply(rollout, { type: 'begin', machineId }, at)
    rollout = apply(rollout, { type: 'ended', machineId, end, detail: 'why' }, at)
  }
  expect(rollout.status).toBe('failed')
})

test('paused while a machine was only looked at: it waits again, and nothing was asked of it', () => {
  let rollout = apply(begin({ count: 1, maxUnavailable: 1, onFailure: 'stop' }), { type: 'begin', machineId: 'a' }, at)
  rollout = apply(rollout, { type: 'pause' }, at)
  rollout = apply(rollout, { type: 'checked', machineId: 'a', facts: { baseline: 3 } }, at)
  expect(rollout.legs[0]).toMatchObject({ state: 'waiting', baseline: null })
})
