import { expect, test } from 'vitest'
import type { Rollout } from '../../shared/domain/rollout.ts'
import { brokenOff } from './leaving.ts'

const rollout = (status: Rollout['status'], states: string[]) =>
  ({ tag: 'v2', status, legs: states.map((state) => ({ state })) }) as unknown as Rollout

test('a deploy that runs is named with how far it is; one that waits for a person is not broken off', () => {
  expect(brokenOff([])).toBeNull()
  expect(brokenOff([rollout('paused', ['completed', 'waiting']), rollout('interrupted', ['waiting'])])).toBeNull()
  const running = rollout('running', ['completed', 'deploying', 'waiting'])
  expect(brokenOff([running])?.message).toBe('The deploy of v2 is at 1 of 3 machines.')
  expect(brokenOff([running, running])?.message).toBe('2 deploys are running.')
})
