import { expect, test } from 'vitest'
import type { Leg, Rollout } from '../../../shared/domain/rollout.ts'
import { isEnded, legStates, rolloutStatuses } from '../../../shared/domain/rollout-states.ts'
import { endText, legLook, nextStep, overall, retriable, revertible, rolloutLook, scopeText, tagText } from './look.ts'
import { list } from './operations.ts'
import { readCount } from './options.ts'

const leg = (name: string, changed: Partial<Leg> = {}): Leg => ({
  ...{ machineId: name, name, environment: 'prod', batch: 0, state: 'waiting', attempt: 1, tries: 0, force: false },
  ...{ baseline: null, agentDeployId: null, undoes: null, previousTag: null, previousDigest: null, digest: null },
  ...{ startedAt: null, endedAt: null, detail: null, historyId: null },
  ...changed,
})
const rollout = (legs: Leg[], changed: Partial<Rollout> = {}): Rollout => ({
  ...{ id: 1, key: 'k', kind: 'deploy', tag: 'v2', commit: null, commitMessage: null, branch: null },
  ...{ status: 'failed', stoppedBy: null },
  ...{ maxUnavailable: 1, onFailure: 'stop', operator: 'ada', createdAt: '', endedAt: null, rollbackOf: null, legs },
  ...changed,
})

test('every state has a look and a word of its own, and every bad end a next step', () => {
  const words = legStates.map((state) => legLook(state).word)
  expect(new Set(words).size).toBe(words.length)
  for (const status of rolloutStatuses) expect(rolloutLook(status).word).not.toBe('')
  const fine = ['completed', 'cancelled', 'skipped']
  for (const state of legStates) expect(nextStep(state) !== undefined).toBe(isEnded(state) && !fine.includes(state))
})

test('how far the whole is: what has ended, and the part of what is under way', () => {
  const some = rollout([leg('a', { state: 'completed' }), leg('b', { state: 'deploying' }), leg('c'), leg('d')])
  expect(overall(some, () => 0.5)).toBe(0.375)
  expect(overall(rollout([]), () => null)).toBe(0)
})

test('the end is told in a sentence that names who failed', () => {
  const legs = [leg('a', { state: 'completed' }), leg('b', { state: 'busy' }), leg('c', { state: 'skipped' })]
  expect(endText(rollout(legs))).toBe('The deploy of v2: b busy, 1 of 3 done.')
  expect(endText(rollout([leg('a', { state: 'completed' })], { status: 'completed' }))).toContain(
    'is done on 1 machine',
  )
  expect(scopeText(rollout([leg('a'), leg('b', { environment: 'dev' })]))).toBe('2 machines in prod, dev')
})

test('only what ended badly is tried again, and only what is deployed is taken back', () => {
  const legs = [
    leg('a', { state: 'completed', agentDeployId: 4 }),
    leg('b', { state: 'changed' }),
    leg('c', { state: 'lost' }),
    leg('d', { state: 'unhealthy', agentDeployId: 5 }),
  ]
  expect(retriable(rollout(legs)).map(({ name }) => name)).toEqual(['c', 'd'])
  expect(retriable(rollout(legs, { status: 'running' }))).toEqual([])
  expect(revertible({ legs }).map(({ name }) => name)).toEqual(['a', 'd'])
})

test('names, tags and numbers as people read and type them', () => {
  expect(list(['a'])).toBe('a')
  expect(list(['a', 'b', 'c'])).toBe('a, b and c')
  expect(list(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more')
  expect(tagText(`sha256:${'ab'.repeat(32)}`)).toBe('abababababab')
  expect([readCount('3', 5), readCount('6', 5), readCount('0', 5), readCount('1.5', 5), readCount('x', 5)]).toEqual([
    ...[3, undefined, undefined, undefined, undefined],
  ])
})
