import { expect, test } from 'vitest'
import type { Leg } from '../../../shared/domain/rollout.ts'
import { cancelText } from './operations.ts'

const legs = (...pairs: [string, Leg['state']][]) =>
  ({ tag: '2.0', legs: pairs.map(([name, state]) => ({ name, state }) as Leg) }) as const

test('a cancel says of each machine what becomes of it, and says it of one and of several', () => {
  const stays = '2.0: roll back afterwards if you do not want that.'
  expect(cancelText(legs(['a', 'deploying'], ['b', 'waiting'], ['c', 'proving']))).toBe(
    `a stops where it is safe and goes back to what ran before. b is not begun. c keeps ${stays}`,
  )
  expect(
    cancelText(
      legs(
        ['a', 'deploying'],
        ['b', 'deploying'],
        ['c', 'checking'],
        ['d', 'waiting'],
        ['e', 'proving'],
        ['f', 'completed'],
      ),
    ),
  ).toBe(`a and b stop where it is safe and go back to what ran before. c and d are not begun. e and f keep ${stays}`)
})
